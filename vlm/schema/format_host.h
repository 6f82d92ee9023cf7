/* format_host.h - the formats that hold names of hosts.
 *
 * SOURCE  RFC 1123 and 5891 to 5893 (host names), 5321 and 6531 (mail
 * addresses), 2673 and 4291 (addresses of machines).
 */
#ifndef VLM_SCHEMA_FORMAT_HOST_H
#define VLM_SCHEMA_FORMAT_HOST_H

#include "vlm/base/span.h"

/* Is the whole text a host name (RFC 1123), one in Unicode (5891 to 5893), a
 * mail address (5321), one in Unicode (6531), an address of IPv4 in four
 * decimal numbers (2673), of IPv6 without a zone (4291)? */
bool format_host_name(struct span text);
bool format_host_idn_name(struct span text);
bool format_host_email(struct span text);
bool format_host_idn_email(struct span text);
bool format_host_ipv4(struct span text);
bool format_host_ipv6(struct span text);

/* What may stand between the brackets of a URI's host. */
bool format_host_literal(struct span text);

#endif
