/* format_host.h - the formats of host names, IP addresses and mail addresses.
 *
 * SOURCE  RFC 1123 and 5891 to 5893 (host names), 5321 and 6531 (mail
 * addresses), 2673 and 4291 (IP addresses).
 */
#ifndef VLM_SCHEMA_FORMAT_HOST_H
#define VLM_SCHEMA_FORMAT_HOST_H

#include "vlm/base/span.h"

/* Is the whole text a host name (RFC 1123), an internationalised host name
 * (5891 to 5893), a mail address (5321), an internationalised one (6531), a
 * dotted IPv4 address (2673), an IPv6 address without a zone (4291)? */
bool format_host_name(struct span text);
bool format_host_idn_name(struct span text);
bool format_host_email(struct span text);
bool format_host_idn_email(struct span text);
bool format_host_ipv4(struct span text);
bool format_host_ipv6(struct span text);

/* Is it valid between the brackets of a URI's host (IPv6 or IPvFuture)? */
bool format_host_literal(struct span text);

#endif
