-- fleet.sql - the whole of a fleet's database; `platen fleet init` runs it, in one
-- transaction, as often as one likes. Everything lies in the schema "platen".
--
-- A job is in exactly one of ready, lease, result, dead and, while its windows are
-- read, spread. Each function below moves it in one statement, so that whoever dies at whatever moment leaves it
-- where it was or where it goes. A worker's transaction is one function call.
--
--     add ─▶ ready ──claim──▶ lease ──publish──▶ result ──collect──▶ (gone)
--              ▲                │  └──bury─────▶ dead ────collect──▶ (gone)
--              └─release, tend──┘                  ▲
--                               └──tend, the fifth time
--
-- A long document is spread by whoever began it: its lease becomes windows, jobs of
-- their own. Whoever gives the last of them an outcome gets the document's next
-- lease in the same transaction, and joins them.
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
-- are only dead rows of ready. A claim begins to look there, so that it stays fast
-- while somebody's old transaction keeps vacuum from taking them away.
CREATE TABLE IF NOT EXISTS platen.needs (
    class  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model  text    NOT NULL DEFAULT '', -- name or SHA-256; '' any
    gpu    boolean NOT NULL DEFAULT false,
    memory bigint  NOT NULL DEFAULT 0,  -- bytes
    floor  bigint  NOT NULL DEFAULT 0,
    UNIQUE (model, gpu, memory)
) WITH (fillfactor = 50);

-- What there is to do, written once; a spread alone changes class and rows. No
-- foreign keys point here from the tables that move: each would lock this row once
-- more for every claim. A window of ID is called ID.1, ID.2, ...
CREATE TABLE IF NOT EXISTS platen.job (
    id         text PRIMARY KEY,         -- the document's, as in the spool
    document   text    NOT NULL,         -- SHA-256 of its bytes, in the store
    bytes      bigint  NOT NULL,
    name       text    NOT NULL,         -- name.json of its folder in work/
    part       text    NOT NULL,         -- part.json, '' where it is not of a stack
    schemas    text    NOT NULL,         -- SHA-256 of the list of schemas, in the store
    options    text    NOT NULL REFERENCES platen.options,
    class      integer NOT NULL REFERENCES platen.needs,
    feeder     text    NOT NULL,         -- who waits: a spool; '' fleet get; of a window
                                         -- its document
    first_page integer NOT NULL DEFAULT 0, -- of a window; 0 0: all of it
    last_page  integer NOT NULL DEFAULT 0,
    added      timestamptz NOT NULL DEFAULT clock_timestamp(),
    rows       text    NOT NULL DEFAULT '' -- what was read before it was spread, in the
                                           -- store
);
ALTER TABLE platen.job ADD COLUMN IF NOT EXISTS rows text NOT NULL DEFAULT '';

-- Documents that were spread, until they are collected. ID.0 in result are the
-- answers of who spread it, ID.1 to ID.windows those of the windows.
CREATE TABLE IF NOT EXISTS platen.spread (
    job     text PRIMARY KEY,
    fence   bigint  NOT NULL, -- of the lease that became windows
    attempt integer NOT NULL, -- as in ready
    windows integer NOT NULL,
    missing integer NOT NULL  -- windows without an outcome; 0: it is a job again
) WITH (fillfactor = 50);

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

-- What came of it, until it is collected. A small file lies in the row, a large one
-- in the store under its SHA-256.
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

-- What no worker could read: at once where the document is to blame, after the
-- fifth lease that ended without a word where nobody can say.
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
    p_feeder text, p_first integer, p_last integer)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    p_class integer := platen.class_of(p_model, p_gpu, p_memory);
    p_hash  text := encode(sha256(convert_to(p_options, 'UTF8')), 'hex');
BEGIN
    INSERT INTO platen.options VALUES (p_hash, p_options) ON CONFLICT DO NOTHING;
    INSERT INTO platen.job
        VALUES (p_id, p_document, p_bytes, p_name, p_part, p_schemas, p_hash, p_class,
                p_feeder, p_first, p_last)
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
-- locked are passed over, so that nobody waits for anybody.
DROP FUNCTION IF EXISTS platen.claim(text, integer, interval); -- it gave fewer columns
CREATE FUNCTION platen.claim(p_worker text, p_class integer, p_ttl interval)
RETURNS TABLE (job text, fence bigint, attempt integer, document text, bytes bigint,
               name text, part text, schemas text, options text, first_page integer,
               last_page integer, rows text, windows integer)
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
    SELECT l.job, l.fence, l.attempt, j.document, j.bytes, j.name, j.part, j.schemas,
           o.text, j.first_page, j.last_page, j.rows, coalesce(s.windows, 0)
    FROM leased l JOIN platen.job j ON j.id = l.job
                  JOIN platen.options o ON o.sha256 = j.options
                  LEFT JOIN platen.spread s ON s.job = l.job;
END $$;

-- What a worker holds a lease of: a document whose last window it published.
CREATE OR REPLACE FUNCTION platen.held(p_worker text)
RETURNS TABLE (job text, fence bigint, attempt integer, document text, bytes bigint,
               name text, part text, schemas text, options text, first_page integer,
               last_page integer, rows text, windows integer)
LANGUAGE sql STABLE AS $$
    SELECT l.job, l.fence, l.attempt, j.document, j.bytes, j.name, j.part, j.schemas,
           o.text, j.first_page, j.last_page, j.rows, coalesce(s.windows, 0)
    FROM platen.lease l JOIN platen.job j ON j.id = l.job
                        JOIN platen.options o ON o.sha256 = j.options
                        LEFT JOIN platen.spread s ON s.job = l.job
    WHERE l.worker = p_worker LIMIT 1
$$;

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

-- A window has its outcome. The last one makes its document a job again: the lease of
-- who brought it (its first heartbeat says for how long), or ready for anybody.
CREATE OR REPLACE FUNCTION platen.window_over(p_window text, p_worker text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p_whole platen.spread%ROWTYPE;
BEGIN
    UPDATE platen.spread SET missing = missing - 1
        WHERE job = split_part(p_window, '.', 1) RETURNING * INTO p_whole;
    IF NOT FOUND OR p_whole.missing <> 0 THEN RETURN; END IF;
    IF p_worker = '' THEN
        INSERT INTO platen.ready (class, job, attempt)
            SELECT class, id, p_whole.attempt FROM platen.job WHERE id = p_whole.job;
        NOTIFY platen_ready;
    ELSE
        INSERT INTO platen.lease (job, fence, class, attempt, worker, expires)
            SELECT id, nextval('platen.fence'), class, p_whole.attempt + 1, p_worker,
                   clock_timestamp() + interval '60 s'
            FROM platen.job WHERE id = p_whole.job;
    END IF;
END $$;

-- The result, and the lease goes. True also when this very lease had published it
-- before and never heard so; false when the lease was lost: then nothing is written.
CREATE OR REPLACE FUNCTION platen.publish(
    p_job text, p_fence bigint, p_worker text, p_seconds real, p_pages integer,
    p_record bytea, p_record_hash text, p_xml bytea, p_xml_hash text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    p_new  boolean;
    p_mine boolean;
BEGIN
    WITH mine AS (
        DELETE FROM platen.lease WHERE job = p_job AND fence = p_fence RETURNING 1),
    put AS (
        INSERT INTO platen.result
        SELECT p_job, p_fence, p_worker, p_seconds, p_pages, p_record, p_record_hash,
               p_xml, p_xml_hash
        FROM mine ON CONFLICT DO NOTHING RETURNING 1)
    SELECT EXISTS (SELECT FROM put), EXISTS (SELECT FROM put)
        OR EXISTS (SELECT FROM platen.result WHERE job = p_job AND fence = p_fence)
        INTO p_new, p_mine;
    IF p_new AND position('.' IN p_job) > 0 THEN
        PERFORM platen.window_over(p_job, p_worker);
    END IF;
    RETURN p_mine;
END $$;

-- The document is to blame, and no other worker would fare better.
CREATE OR REPLACE FUNCTION platen.bury(
    p_job text, p_fence bigint, p_worker text, p_code text, p_reason text, p_why text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    p_new  boolean;
    p_mine boolean;
BEGIN
    WITH mine AS (
        DELETE FROM platen.lease WHERE job = p_job AND fence = p_fence RETURNING 1),
    put AS (
        INSERT INTO platen.dead
        SELECT p_job, p_fence, p_worker, p_code, p_reason, p_why
        FROM mine ON CONFLICT DO NOTHING RETURNING 1)
    SELECT EXISTS (SELECT FROM put), EXISTS (SELECT FROM put)
        OR EXISTS (SELECT FROM platen.dead WHERE job = p_job AND fence = p_fence)
        INTO p_new, p_mine;
    IF p_new AND position('.' IN p_job) > 0 THEN
        PERFORM platen.window_over(p_job, p_worker);
    END IF;
    RETURN p_mine;
END $$;

-- A lease becomes windows of p_size pages, from p_first to p_last. True also when this
-- very lease had done so before and never heard so; false when it was lost. What is
-- known of them so far is of use to the same model alone: theirs is the worker's.
CREATE OR REPLACE FUNCTION platen.spread(
    p_job text, p_fence bigint, p_first integer, p_last integer, p_size integer,
    p_rows text, p_answers bytea, p_answers_hash text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    p_lease platen.lease%ROWTYPE;
    p_n     integer := (p_last - p_first + p_size) / p_size;
    p_class integer;
BEGIN
    DELETE FROM platen.lease WHERE job = p_job AND fence = p_fence RETURNING * INTO p_lease;
    IF NOT FOUND THEN
        RETURN EXISTS (SELECT FROM platen.spread WHERE job = p_job AND fence = p_fence);
    END IF;
    SELECT platen.class_of(coalesce(nullif(n.model, ''), w.model, ''), n.gpu, n.memory)
        INTO p_class
        FROM platen.needs n LEFT JOIN platen.worker w ON w.name = p_lease.worker
        WHERE n.class = p_lease.class;
    INSERT INTO platen.spread VALUES (p_job, p_fence, p_lease.attempt - 1, p_n, p_n);
    UPDATE platen.job SET rows = p_rows, class = p_class WHERE id = p_job;
    INSERT INTO platen.result
        VALUES (p_job || '.0', p_fence, p_lease.worker, 0, 0, p_answers, p_answers_hash);
    INSERT INTO platen.job
        SELECT p_job || '.' || k, j.document, j.bytes, j.name, j.part, j.schemas, j.options,
               p_class, p_job, p_first + (k - 1) * p_size,
               least(p_last, p_first + k * p_size - 1), clock_timestamp(), p_rows
        FROM platen.job j, generate_series(1, p_n) k WHERE j.id = p_job;
    INSERT INTO platen.ready (class, job)
        SELECT p_class, p_job || '.' || k FROM generate_series(1, p_n) k ORDER BY k;
    NOTIFY platen_ready;
    RETURN true;
END $$;

-- Answers about pages of a document that was spread, those of window 0 first; of a
-- window that died there are none.
CREATE OR REPLACE FUNCTION platen.answers(p_job text, p_last integer)
RETURNS TABLE (record bytea, record_hash text) LANGUAGE sql STABLE AS $$
    SELECT r.record, r.record_hash
    FROM generate_series(0, p_last) k JOIN platen.result r ON r.job = p_job || '.' || k
    ORDER BY k
$$;

-- The worker gives it back, and nobody is to blame: no attempt is charged.
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

-- The rounds that somebody has to do; every worker asks for them with its heartbeat,
-- and one at a time does them. Each second: the floors, upwards. Every five: leases
-- that have expired, and the floors from the very start, for rows whose transaction
-- was long and whose number is low.
CREATE OR REPLACE FUNCTION platen.tend(p_ttl interval, p_attempts integer)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    p_now   timestamptz := clock_timestamp();
    p_round platen.round%ROWTYPE;
    p_moved integer := 0;
    p_over  text[];
    p_job   text;
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
        -- nobody may hold a lease for longer than a heartbeat asks for
        UPDATE platen.lease SET expires = p_now + p_ttl WHERE expires > p_now + 2 * p_ttl;
        WITH late AS (
            DELETE FROM platen.lease WHERE expires < p_now RETURNING *),
        again AS (
            INSERT INTO platen.ready (class, job, attempt, not_before)
            SELECT class, job, attempt, p_now + least(attempt, 5) * interval '2 s'
            FROM late WHERE attempt < p_attempts RETURNING 1),
        over AS (
            INSERT INTO platen.dead (job, fence, worker, code, reason, why)
            SELECT job, fence, worker, 'poison-host', '',
                   'the last of ' || attempt || ' workers that ended without a word on it '
                   || 'was ' || worker
            FROM late WHERE attempt >= p_attempts ON CONFLICT DO NOTHING RETURNING job)
        SELECT (SELECT count(*) FROM late), ARRAY(SELECT job FROM over WHERE job ~ '[.]')
            INTO p_moved, p_over;
        FOREACH p_job IN ARRAY p_over LOOP
            PERFORM platen.window_over(p_job, '');
        END LOOP;
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

-- The outcome is kept elsewhere by now: all rows of the job go, if it has one, with
-- those of its windows.
CREATE OR REPLACE FUNCTION platen.collect(p_job text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    p_windows text[];
BEGIN
    DELETE FROM platen.result WHERE job = p_job;
    IF NOT FOUND THEN
        DELETE FROM platen.dead WHERE job = p_job;
        IF NOT FOUND THEN RETURN false; END IF;
    END IF;
    DELETE FROM platen.job WHERE id = p_job;
    DELETE FROM platen.spread WHERE job = p_job
        RETURNING ARRAY(SELECT p_job || '.' || k FROM generate_series(0, windows) k)
        INTO p_windows;
    IF FOUND THEN
        DELETE FROM platen.result WHERE job = ANY (p_windows);
        DELETE FROM platen.dead WHERE job = ANY (p_windows);
        DELETE FROM platen.job WHERE id = ANY (p_windows);
    END IF;
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
        'spread', (SELECT count(*) FROM platen.spread WHERE missing > 0),
        'results', (SELECT count(*) FROM platen.result WHERE position('.' IN job) = 0),
        'dead', (SELECT count(*) FROM platen.dead WHERE position('.' IN job) = 0),
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
            SELECT code, count(*) AS n FROM platen.dead WHERE position('.' IN job) = 0
            GROUP BY code ORDER BY code) d),
        'latest_dead', (SELECT coalesce(json_agg(d), '[]') FROM (
            SELECT job, code, why, at FROM platen.dead WHERE position('.' IN job) = 0
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
