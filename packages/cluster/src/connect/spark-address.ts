/** Where a Spark Connect server is, and how it is spoken to. */
export interface SparkAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly token?: string;
  readonly userId?: string;
}

/** An address that cannot be used. */
export class SparkAddressError extends Error {
  override readonly name = 'SparkAddressError';
  readonly kind = 'usage';
}

/** Port of Spark Connect unless another is named. */
const usualPort = 15002;

/**
 * Reads Spark Connect's own form of an address: `sc://host:port/;use_ssl=true;token=…;user_id=…`. A token
 * from the environment keeps it out of the arguments, which other processes can see. A token never goes over
 * a network without TLS.
 *
 * @throws SparkAddressError. Its message never holds the token.
 */
export function readSparkAddress(url: string, tokenFromEnvironment?: string): SparkAddress {
  const match = /^sc:\/\/(\[[0-9a-fA-F:]+\]|[^/:;]+)(?::(\d+))?(?:\/(;.*)?)?$/.exec(url);
  if (match === null)
    throw new SparkAddressError(
      'The address of Spark is sc://host:port, with /;use_ssl=true;token=… behind it where it is needed.',
    );
  const parameters = new Map<string, string>();
  for (const pair of (match[3] ?? '').split(';').filter((each) => each !== '')) {
    const at = pair.indexOf('=');
    const name = at < 0 ? pair : pair.slice(0, at);
    if (at < 1 || !['use_ssl', 'token', 'user_id'].includes(name))
      throw new SparkAddressError(
        `The address of Spark has a parameter "${name}"; known are use_ssl, token and user_id.`,
      );
    parameters.set(name, decodeURIComponent(pair.slice(at + 1)));
  }
  const host = match[1];
  const port = Number(match[2] ?? usualPort);
  const token = parameters.get('token') ?? tokenFromEnvironment;
  const tls = parameters.get('use_ssl') === 'true';
  if (token !== undefined && !tls && !isLoopback(host))
    throw new SparkAddressError(
      `A token for ${host} would cross the network in the clear. Add ;use_ssl=true, or reach the server through a tunnel on 127.0.0.1.`,
    );
  const userId = parameters.get('user_id');
  return {
    host,
    port,
    tls,
    ...(token !== undefined && { token }),
    ...(userId !== undefined && { userId }),
  };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
