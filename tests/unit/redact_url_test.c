/* hide_test.c - addresses without their passwords. */
#include "tests/support/test.h"

#include "vlm/base/redact_url.h"

static void is(const char *address, const char *shown)
{
    struct buf out = buf_limit(4096);
    redact_url_secrets(address, &out);
    assert_string_equal(buf_span(&out).data, shown);
    buf_free(&out);
}

static void urls_lose_their_passwords(void **state)
{
    (void)state;
    is("http://host:8080/v1", "http://host:8080/v1");
    is("http://ann:pa@ss@host:8080/v1", "http://ann:***@host:8080/v1");
    is("https://token@host/v1", "https://***@host/v1");
    is("https://host/v1?api-key=abc&x=1", "https://host/v1?api-key=***&x=1");
    is("https://host/v1?x=1&sig=a=b", "https://host/v1?x=1&sig=***");
    is("postgresql://u:p@db/x?sslpassword=q", "postgresql://u:***@db/x?"
                                              "sslpassword=***");
    is("https://host/a@b:c", "https://host/a@b:c");
    is("", "");
    is("host:8080", "host:8080");
}

static void connection_strings_lose_their_passwords(void **state)
{
    (void)state;
    is("host=db user=x password=secret dbname=y",
       "host=db user=x password=*** dbname=y");
    is("password = 'a \\'b' host=db", "password=*** host=db");
    is("PASSWORD=x\\ y host=db", "PASSWORD=*** host=db");
    is("host='a b'", "host='a b'");
    is("host=db password='open", "host=db password=***");
    is("host=db whatever secret", "host=db ***");
}

TEST_GROUP(hide, cmocka_unit_test(urls_lose_their_passwords),
           cmocka_unit_test(connection_strings_lose_their_passwords))
