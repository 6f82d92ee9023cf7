-- fleet.sql - the database of a fleet; `platen fleet init` runs it in one transaction,
-- and can be repeated. Everything is in the schema "platen".
--
-- A job is in exactly one of ready, lease, result and dead. Each function below moves
-- it in one statement, so that a crash at any moment leaves it in the old place or in
-- the new one. A worker's transaction is one function call.
--
--     add ─▶ ready ──claim──▶ lease ──publish──▶ result ──collect──▶ (gone)
--              ▲                │  └──bury─────▶ dead ────collect──▶ (gone)
--              └─release, tend──┘                  ▲
--                               └──tend, the fifth time
--
-- Work is done at least once, published exactly once: what a lease may still do
-- hangs on its fence, a number that no other lease has. Times are the database's
-- alone; no clock of a worker is ever asked. NOTIFY is a hint, polling the truth.

SELECT pg_advisory_xact_lock(hashtext('platen.init'));
CREATE SCHEMA IF NOT EXISTS platen;

-- What holds for all: where the bytes lie ("store", "s3_endpoint", "s3_region").
CREATE TABLE IF NOT EXISTS platen.setting (
    name  text PRIMARY KEY,
    value text NOT NULL
);

-- Keys of platen.conf that a document is to be read with, by their SHA-256.
CREATE TABLE IF NOT EXISTS platen.options (
    sha256 text PRIMARY KEY,
    text   text NOT NULL
);

-- What jobs need of a worker: few rows, and every job names one. `floor`: below it
-- are only dead rows of ready. A claim starts its search there, so that it stays fast
-- while an old transaction elsewhere keeps vacuum from removing them.
CREATE TABLE IF NOT EXISTS platen.needs (
    class  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model  text    NOT NULL DEFAULT '', -- name or SHA-256; '' any
    gpu    boolean NOT NULL DEFAULT false,
    memory bigint  NOT NULL DEFAULT 0,  -- bytes
    floor  bigint  NOT NULL DEFAULT 0,
    UNIQUE (model, gpu, memory)
) WITH (fillfactor = 50);

-- What there is to do, written once. No foreign keys point here from the tables that
-- move: each would lock this row once more for every claim.
CREATE TABLE IF NOT EXISTS platen.job (
    id         text PRIMARY KEY,         -- the document's, as in the spool
    document   text    NOT NULL,         -- SHA-256 of its bytes, in the store
    bytes      bigint  NOT NULL,
    name       text    NOT NULL,         -- name.json of its folder in work/
    part       text    NOT NULL,         -- part.json, '' where it is not of a stack
    schemas    text    NOT NULL,         -- SHA-256 of the list of schemas, in the store
    options    text    NOT NULL REFERENCES platen.options,
    class      integer NOT NULL REFERENCES platen.needs,
    feeder     text    NOT NULL,         -- who waits: a spool; '' fleet get
    added      timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Who waits. A row is inserted and deleted, never updated; what comes back gets a
-- new number, so that the old end of the index is only ever dead rows.
CREATE TABLE IF NOT EXISTS platen.ready (
    class      integer NOT NULL,
    seq        bigint  GENERATED ALWAYS AS IDENTITY,
    job        text    NOT NULL,
    attempt    integer NOT NULL DEFAULT 0, -- leases that ended without a word
    since      timestamptz NOT NULL DEFAULT clock_timestamp(),
    not_before timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (class, seq)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0);

-- Who is at work. A heartbeat updates `expires`, which no index holds, on a page
-- that is half empty: a HOT update, which leaves nothing for vacuum in any index.
CREATE SEQUENCE IF NOT EXISTS platen.fence;
CREATE TABLE IF NOT EXISTS platen.lease (
    job     text PRIMARY KEY,
    fence   bigint  NOT NULL,
    class   integer NOT NULL,
    attempt integer NOT NULL, -- this one is the how manieth
    worker  text    NOT NULL,
    since   timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires timestamptz NOT NULL
) WITH (fillfactor = 50,
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0);

-- Results until they are collected. A small file is in the row, a large one in the
-- store under its SHA-256.
CREATE TABLE IF NOT EXISTS platen.result (
    job         text PRIMARY KEY,
    fence       bigint  NOT NULL,
    worker      text    NOT NULL,
    seconds     real    NOT NULL,
    pages       integer NOT NULL,
    record      bytea, -- record.json
    record_hash text NOT NULL,
    xml         bytea, -- record.xml
    xml_hash    text NOT NULL DEFAULT '', -- '': there is none
    at          timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Jobs that no worker could read: at once if the document is at fault, after the fifth
-- expired lease if the cause is unknown.
CREATE TABLE IF NOT EXISTS platen.dead (
    job    text PRIMARY KEY,
    fence  bigint NOT NULL,
    worker text   NOT NULL,
    code   text   NOT NULL, -- as in platen(1)
    reason text   NOT NULL, -- reason.json, '' where no worker wrote one
    why    text   NOT NULL, -- one line
    at     timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Workers that were ever seen, by name; what they can, and when they last spoke.
CREATE TABLE IF NOT EXISTS platen.worker (
    name    text PRIMARY KEY,
    host    text    NOT NULL,
    model   text    NOT NULL,
    model_sha256 text NOT NULL,
    gpu     boolean NOT NULL,
    memory  bigint  NOT NULL,
    version text    NOT NULL,
    started timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen    timestamptz NOT NULL DEFAULT clock_timestamp(),
    jobs    bigint  NOT NULL DEFAULT 0, -- that it published, since its start
    pages   bigint  NOT NULL DEFAULT 0,
    mark    timestamptz NOT NULL DEFAULT clock_timestamp(), -- the last full minute,
    mark_jobs  bigint NOT NULL DEFAULT 0,                   -- what it had done by then,
    mark_pages bigint NOT NULL DEFAULT 0,
    jobs_a_minute  real NOT NULL DEFAULT 0,                 -- and in the one before
    pages_a_minute real NOT NULL DEFAULT 0,
    ended   boolean NOT NULL DEFAULT false,
    drain   boolean NOT NULL DEFAULT false -- take nothing more, and end
) WITH (fillfactor = 50);

-- When tend last did its rounds: of the floors, of the leases.
CREATE TABLE IF NOT EXISTS platen.round (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    floors timestamptz NOT NULL DEFAULT '-infinity',
    whole  timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 10);
INSERT INTO platen.round DEFAULT VALUES ON CONFLICT DO NOTHING;

-- What earlier documents say (pipeline/spool/archive_db.h, which has the same tables in
-- SQLite). Who compares locks platen.archive shared and, until the record is durable in
-- its spool, each sender; who reads a whole spool, or forgets, locks it alone.
CREATE TABLE IF NOT EXISTS platen.archive_document (
    seq    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- as they were compared
    id     text COLLATE "C" NOT NULL UNIQUE,
    spool  text    NOT NULL, -- its archive.id
    schema text    NOT NULL,
    pruned integer NOT NULL  -- 1: no folder has it any more
);
CREATE INDEX IF NOT EXISTS archive_document_spool ON platen.archive_document (spool, schema);
CREATE TABLE IF NOT EXISTS platen.archive_value (
    key    text COLLATE "C" NOT NULL, -- what is compared
    sender text COLLATE "C" NOT NULL, -- folded, as value
    value  text COLLATE "C" NOT NULL,
    seq    bigint NOT NULL,
    name   text COLLATE "C" NOT NULL, -- the same, as read
    text   text COLLATE "C" NOT NULL,
    PRIMARY KEY (key, sender, value, seq)
);
CREATE INDEX IF NOT EXISTS archive_value_seq ON platen.archive_value (seq);
CREATE INDEX IF NOT EXISTS archive_value_sender ON platen.archive_value (sender, key, seq);
CREATE TABLE IF NOT EXISTS platen.archive_forgotten (
    sender text PRIMARY KEY, -- SHA-256
    before text COLLATE "C" NOT NULL -- ids
);
CREATE TABLE IF NOT EXISTS platen.archive_filled (
    spool     text,
    schema    text,
    questions text NOT NULL, -- SHA-256
    PRIMARY KEY (spool, schema)
);

CREATE OR REPLACE FUNCTION platen.set(p_name text, p_value text)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO platen.setting VALUES (p_name, p_value)
    ON CONFLICT (name) DO UPDATE SET value = p_value
$$;

-- The class of those who need so much.
CREATE OR REPLACE FUNCTION platen.class_of(p_model text, p_gpu boolean, p_memory bigint)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    p_class integer;
BEGIN
    SELECT class INTO p_class FROM platen.needs
        WHERE model = p_model AND gpu = p_gpu AND memory = p_memory;
    IF NOT FOUND THEN
        INSERT INTO platen.needs (model, gpu, memory) VALUES (p_model, p_gpu, p_memory)
            ON CONFLICT (model, gpu, memory) DO UPDATE SET model = p_model
            RETURNING class INTO p_class;
    END IF;
    RETURN p_class;
END $$;

-- A job, once: one that is known already is left as it is.
CREATE OR REPLACE FUNCTION platen.add(
    p_id text, p_document text, p_bytes bigint, p_name text, p_part text,
    p_schemas text, p_options text, p_model text, p_gpu boolean, p_memory bigint,
    p_feeder text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    p_class integer := platen.class_of(p_model, p_gpu, p_memory);
    p_hash  text := encode(sha256(convert_to(p_options, 'UTF8')), 'hex');
BEGIN
    INSERT INTO platen.options VALUES (p_hash, p_options) ON CONFLICT DO NOTHING;
    INSERT INTO platen.job
        VALUES (p_id, p_document, p_bytes, p_name, p_part, p_schemas, p_hash, p_class, p_feeder)
        ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN RETURN false; END IF;
    INSERT INTO platen.ready (class, job) VALUES (p_class, p_id);
    NOTIFY platen_ready;
    RETURN true;
END $$;

-- The classes of jobs that a worker can do, those first that ask for most.
CREATE OR REPLACE FUNCTION platen.classes(p_worker text)
RETURNS SETOF integer LANGUAGE sql STABLE AS $$
    SELECT n.class FROM platen.needs n, platen.worker w
    WHERE w.name = p_worker AND (NOT n.gpu OR w.gpu) AND n.memory <= w.memory
      AND n.model IN ('', w.model, nullif(w.model_sha256, ''))
    ORDER BY n.gpu DESC, n.memory DESC, n.model = '', n.class
$$;

-- (PL/pgSQL, where it is called for each job: a session keeps its plans.)
--
-- The oldest job of a class goes from ready to a lease. Rows that another claim has
-- locked are skipped, so that claims do not wait for each other.
DROP FUNCTION IF EXISTS platen.claim(text, integer, interval); -- its columns may differ
CREATE FUNCTION platen.claim(p_worker text, p_class integer, p_ttl interval)
RETURNS TABLE (job text, fence bigint, attempt integer, document text, bytes bigint,
               name text, part text, schemas text, options text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY WITH taken AS (
        DELETE FROM platen.ready r
        WHERE r.class = p_class AND r.seq = (
            SELECT w.seq FROM platen.ready w
            WHERE w.class = p_class
              AND w.seq >= (SELECT n.floor FROM platen.needs n WHERE n.class = p_class)
              AND w.not_before <= clock_timestamp()
            ORDER BY w.seq LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING r.job, r.attempt),
    leased AS (
        INSERT INTO platen.lease (job, fence, class, attempt, worker, expires)
        SELECT t.job, nextval('platen.fence'), p_class, t.attempt + 1, p_worker,
               clock_timestamp() + p_ttl
        FROM taken t
        RETURNING job, fence, attempt)
    SELECT l.job, l.fence, l.attempt, j.document, j.bytes, j.name, j.part, j.schemas, o.text
    FROM leased l JOIN platen.job j ON j.id = l.job
                  JOIN platen.options o ON o.sha256 = j.options;
END $$;

-- A heartbeat: false when the lease is another's by now.
CREATE OR REPLACE FUNCTION platen.beat(p_job text, p_fence bigint, p_ttl interval)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    p_mine boolean;
BEGIN
    WITH mine AS (
        UPDATE platen.lease SET expires = clock_timestamp() + p_ttl
        WHERE job = p_job AND fence = p_fence RETURNING 1)
    SELECT EXISTS (SELECT FROM mine) INTO p_mine;
    RETURN p_mine;
END $$;

-- The result, and the lease goes. True also when this very lease had published it
-- before and never heard so; false when the lease was lost: then nothing is written.
CREATE OR REPLACE FUNCTION platen.publish(
    p_job text, p_fence bigint, p_worker text, p_seconds real, p_pages integer,
    p_record bytea, p_record_hash text, p_xml bytea, p_xml_hash text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    p_mine boolean;
BEGIN
    WITH mine AS (
        DELETE FROM platen.lease WHERE job = p_job AND fence = p_fence RETURNING 1),
    put AS (
        INSERT INTO platen.result
        SELECT p_job, p_fence, p_worker, p_seconds, p_pages, p_record, p_record_hash,
               p_xml, p_xml_hash
        FROM mine ON CONFLICT DO NOTHING RETURNING 1)
    SELECT EXISTS (SELECT FROM put)
        OR EXISTS (SELECT FROM platen.result WHERE job = p_job AND fence = p_fence)
        INTO p_mine;
    RETURN p_mine;
END $$;

-- The document is to blame, and no other worker would fare better.
CREATE OR REPLACE FUNCTION platen.bury(
    p_job text, p_fence bigint, p_worker text, p_code text, p_reason text, p_why text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    p_mine boolean;
BEGIN
    WITH mine AS (
        DELETE FROM platen.lease WHERE job = p_job AND fence = p_fence RETURNING 1),
    put AS (
        INSERT INTO platen.dead
        SELECT p_job, p_fence, p_worker, p_code, p_reason, p_why
        FROM mine ON CONFLICT DO NOTHING RETURNING 1)
    SELECT EXISTS (SELECT FROM put)
        OR EXISTS (SELECT FROM platen.dead WHERE job = p_job AND fence = p_fence)
        INTO p_mine;
    RETURN p_mine;
END $$;

-- The worker returns the job, without charging an attempt.
CREATE OR REPLACE FUNCTION platen.release(p_job text, p_fence bigint, p_wait interval)
RETURNS boolean LANGUAGE sql AS $$
    WITH mine AS (
        DELETE FROM platen.lease WHERE job = p_job AND fence = p_fence
        RETURNING class, job, attempt),
    put AS (
        INSERT INTO platen.ready (class, job, attempt, not_before)
        SELECT class, job, attempt - 1, clock_timestamp() + p_wait FROM mine
        RETURNING 1)
    SELECT EXISTS (SELECT FROM put)
$$;

-- Maintenance; every worker calls it with its heartbeat, and one at a time does it.
-- Each second: the floors, upwards. Every five: leases
-- that have expired, and the floors from the very start, for rows whose transaction
-- was long and whose number is low.
CREATE OR REPLACE FUNCTION platen.tend(p_ttl interval, p_attempts integer)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    p_now   timestamptz := clock_timestamp();
    p_round platen.round%ROWTYPE;
    p_moved integer := 0;
    p_n     platen.needs%ROWTYPE;
    p_whole boolean;
    p_floor bigint;
    p_next  bigint;
BEGIN
    SELECT * INTO p_round FROM platen.round;
    -- a round of the future: the clock was set back
    IF p_now BETWEEN p_round.floors AND p_round.floors + interval '1 s' THEN
        RETURN 0;
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtext('platen.tend')) THEN RETURN 0; END IF;
    p_whole := p_now NOT BETWEEN p_round.whole AND p_round.whole + interval '5 s';
    UPDATE platen.round SET floors = p_now,
        whole = CASE WHEN p_whole THEN p_now ELSE whole END;
    IF p_whole THEN
        -- no lease may last longer than a heartbeat asks for
        UPDATE platen.lease SET expires = p_now + p_ttl WHERE expires > p_now + 2 * p_ttl;
        WITH late AS (
            DELETE FROM platen.lease WHERE expires < p_now RETURNING *),
        again AS (
            INSERT INTO platen.ready (class, job, attempt, not_before)
            SELECT class, job, attempt, p_now + least(attempt, 5) * interval '2 s'
            FROM late WHERE attempt < p_attempts RETURNING 1),
        over AS (
            INSERT INTO platen.dead (job, fence, worker, code, reason, why)
            SELECT job, fence, worker, 'crash-loop', '',
                   'the last of ' || attempt || ' workers that ended without a word on it '
                   || 'was ' || worker
            FROM late WHERE attempt >= p_attempts ON CONFLICT DO NOTHING)
        SELECT count(*) FROM late INTO p_moved;
        IF p_moved > 0 THEN NOTIFY platen_ready; END IF;
    END IF;
    SELECT last_value INTO p_next FROM platen.ready_seq_seq;
    FOR p_n IN SELECT * FROM platen.needs LOOP
        SELECT seq INTO p_floor FROM platen.ready
            WHERE class = p_n.class AND (p_whole OR seq >= p_n.floor)
            ORDER BY seq LIMIT 1;
        IF NOT FOUND THEN p_floor := p_next; END IF;
        IF p_floor <> p_n.floor THEN
            UPDATE platen.needs SET floor = p_floor WHERE class = p_n.class;
        END IF;
    END LOOP;
    RETURN p_moved;
END $$;

-- A worker says who it is, and that it lives; true: it is asked to end.
CREATE OR REPLACE FUNCTION platen.hello(
    p_name text, p_host text, p_model text, p_sha256 text, p_gpu boolean, p_memory bigint,
    p_version text)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO platen.worker (name, host, model, model_sha256, gpu, memory, version)
        VALUES (p_name, p_host, p_model, p_sha256, p_gpu, p_memory, p_version)
    ON CONFLICT (name) DO UPDATE SET host = p_host, model = p_model,
        model_sha256 = p_sha256, gpu = p_gpu, memory = p_memory, version = p_version,
        started = clock_timestamp(), seen = clock_timestamp(), ended = false,
        drain = false
$$;
CREATE OR REPLACE FUNCTION platen.lives(
    p_name text, p_ended boolean, p_jobs bigint, p_pages bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    p_asked boolean;
    p_now   timestamptz := clock_timestamp();
BEGIN
    UPDATE platen.worker SET
        mark = p_now, mark_jobs = p_jobs, mark_pages = p_pages,
        jobs_a_minute = 60 * (p_jobs - mark_jobs) / abs(extract(epoch FROM p_now - mark)),
        pages_a_minute = 60 * (p_pages - mark_pages) / abs(extract(epoch FROM p_now - mark))
        WHERE name = p_name AND p_now <> mark AND p_now NOT BETWEEN mark AND mark + interval '1 min';
    UPDATE platen.worker
        SET seen = p_now, ended = p_ended, jobs = p_jobs, pages = p_pages
        WHERE name = p_name RETURNING drain INTO p_asked;
    RETURN coalesce(p_asked, false);
END $$;

-- What became of a job: '' (not known), ready, lease, result or dead.
CREATE OR REPLACE FUNCTION platen.outcome(p_job text)
RETURNS TABLE (state text, record bytea, record_hash text, xml bytea, xml_hash text,
               code text, reason text, why text)
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN r.job IS NOT NULL THEN 'result' WHEN d.job IS NOT NULL THEN 'dead'
                WHEN l.job IS NOT NULL THEN 'lease' WHEN j.id IS NOT NULL THEN 'ready'
                ELSE '' END,
           r.record, r.record_hash, r.xml, r.xml_hash, d.code, d.reason, d.why
    FROM (SELECT p_job AS id) p
    LEFT JOIN platen.job j ON j.id = p.id
    LEFT JOIN platen.lease l ON l.job = p.id
    LEFT JOIN platen.result r ON r.job = p.id
    LEFT JOIN platen.dead d ON d.job = p.id
$$;

-- The outcome is kept elsewhere by now: all rows of the job go, if it has one.
CREATE OR REPLACE FUNCTION platen.collect(p_job text)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM platen.result WHERE job = p_job;
    IF NOT FOUND THEN
        DELETE FROM platen.dead WHERE job = p_job;
        IF NOT FOUND THEN RETURN false; END IF;
    END IF;
    DELETE FROM platen.job WHERE id = p_job;
    RETURN true;
END $$;

-- A worker whose claim was cut off cannot know what it holds: it gives all of it back.
CREATE OR REPLACE FUNCTION platen.forsake(p_worker text)
RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FILTER (WHERE platen.release(job, fence, interval '0'))
    FROM platen.lease WHERE worker = p_worker
$$;

-- Jobs of `platen fleet add` that have an outcome, the oldest first.
CREATE OR REPLACE FUNCTION platen.finished(p_most integer)
RETURNS SETOF text LANGUAGE sql STABLE AS $$
    SELECT o.job
    FROM (SELECT job, at FROM platen.result UNION ALL SELECT job, at FROM platen.dead) o
    JOIN platen.job j ON j.id = o.job
    WHERE j.feeder = '' ORDER BY o.at LIMIT p_most
$$;

-- Workers that take nothing more once they have heard it, and end.
CREATE OR REPLACE FUNCTION platen.drain()
RETURNS bigint LANGUAGE sql AS $$
    WITH asked AS (
        UPDATE platen.worker SET drain = true
        WHERE NOT ended AND seen > clock_timestamp() - interval '5 min' RETURNING 1)
    SELECT count(*) FROM asked
$$;

-- All that `platen fleet status` says, as it says it to programs.
CREATE OR REPLACE FUNCTION platen.status()
RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'ready', (SELECT count(*) FROM platen.ready),
        'leased', (SELECT count(*) FROM platen.lease),
        'results', (SELECT count(*) FROM platen.result),
        'dead', (SELECT count(*) FROM platen.dead),
        'oldest_ready_s', (SELECT coalesce(extract(epoch FROM
            clock_timestamp() - min(since)), 0)::bigint FROM platen.ready),
        'jobs_a_minute', (SELECT coalesce(round(sum(jobs_a_minute)::numeric, 1), 0)
            FROM platen.worker WHERE NOT ended AND seen > clock_timestamp() - interval '5 min'),
        'pages_a_minute', (SELECT coalesce(round(sum(pages_a_minute)::numeric, 1), 0)
            FROM platen.worker WHERE NOT ended AND seen > clock_timestamp() - interval '5 min'),
        'jobs_last_day', (SELECT coalesce(sum(jobs), 0)
            FROM platen.worker WHERE seen > clock_timestamp() - interval '1 day'),
        'pages_last_day', (SELECT coalesce(sum(pages), 0)
            FROM platen.worker WHERE seen > clock_timestamp() - interval '1 day'),
        'needs', (SELECT coalesce(json_agg(n), '[]') FROM (
            SELECT n.class, n.model, n.gpu, n.memory,
                   (SELECT count(*) FROM platen.ready r WHERE r.class = n.class) AS ready,
                   (SELECT count(*) FROM platen.worker w
                     WHERE NOT w.ended AND w.seen > clock_timestamp() - interval '5 min'
                       AND n.class IN (SELECT platen.classes(w.name))) AS workers
            FROM platen.needs n ORDER BY n.class) n),
        'reasons', (SELECT coalesce(json_object_agg(code, n), '{}') FROM (
            SELECT code, count(*) AS n FROM platen.dead
            GROUP BY code ORDER BY code) d),
        'latest_dead', (SELECT coalesce(json_agg(d), '[]') FROM (
            SELECT job, code, why, at FROM platen.dead
            ORDER BY at DESC LIMIT 10) d),
        'workers', (SELECT coalesce(json_agg(w), '[]') FROM (
            SELECT w.name, w.host, w.model, w.gpu, w.memory, w.version, w.ended, w.drain,
                   w.jobs, w.pages, round(w.pages_a_minute::numeric, 1) AS pages_a_minute,
                   extract(epoch FROM clock_timestamp() - w.seen)::bigint AS seen_s,
                   l.job, extract(epoch FROM clock_timestamp() - l.since)::bigint AS job_s
            FROM platen.worker w LEFT JOIN platen.lease l ON l.worker = w.name
            WHERE w.seen > clock_timestamp() - interval '1 day' ORDER BY w.name) w))
$$;

-- A session that sits in an open transaction keeps vacuum from all tables of the
-- database. Platen's own set ten seconds themselves; this is for everybody else's.
DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = %L',
                   current_database(), '15min');
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'not the owner of the database: idle_in_transaction_session_timeout stays';
END $$;
