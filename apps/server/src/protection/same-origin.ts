/**
 * Whether a request may come from the server's own pages or from a program. Browsers name the page a request
 * comes from; one from elsewhere is refused, and so is a Host the server was not started for: a name that an
 * attacker points at this address (DNS rebinding) would otherwise make a foreign page same-origin.
 */
export function isOwnRequest(
  headers: {
    readonly host: string | undefined;
    readonly origin: string | undefined;
    readonly fetchSite: string | undefined;
  },
  allowedHosts: ReadonlySet<string> | 'any',
): boolean {
  const { host, origin, fetchSite } = headers;
  if (!isOwnHost(host, allowedHosts)) return false;
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return false;
  if (origin === undefined) return true;
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

/** The name without the port and without a final dot; lower case. `[::1]:80` gives `[::1]`. */
export function hostName(host: string): string {
  return host.trim().toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** Whether a server may be called by this Host. */
export function isOwnHost(host: string | undefined, allowedHosts: ReadonlySet<string> | 'any'): boolean {
  return allowedHosts === 'any' || (host !== undefined && allowedHosts.has(hostName(host)));
}

/** Names under which a server on this address answers. */
export function hostsOf(address: string): ReadonlySet<string> | 'any' {
  return isLoopback(address) ? new Set(['localhost', '127.0.0.1', '[::1]', address]) : 'any';
}

export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);
}
