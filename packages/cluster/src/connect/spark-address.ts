/** Where a Spark Connect server is, and how it is spoken to. */
export interface SparkAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly token?: string;
  readonly userId?: string;
  /**
   * What goes with every call as metadata, for whoever stands before the server (`x-databricks-cluster-id`).
   */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** An address that cannot be used. */
export class SparkAddressError extends Error {
  override readonly name = 'SparkAddressError';
  readonly kind = 'usage';
}

/** Port of Spark Connect unless another is named. */
const usualPort = 15002;

/**
 * Reads Spark Connect's own form of an address: `sc://host:port/;use_ssl=true;token=…;user_id=…;x-name=…`. A
 * token from the environment keeps it out of the arguments, which other processes can see. Neither a token
 * nor metadata, which may be a secret too, ever goes over a network without TLS.
 *
 * @throws SparkAddressError. Its message holds the host and names of parameters, never a value.
 */
export function readSparkAddress(url: string, tokenFromEnvironment?: string): SparkAddress {
  const match = /^sc:\/\/(\[[0-9a-fA-F:]+\]|[^/:;]+)(?::(\d+))?(?:\/(;.*)?)?$/.exec(url);
  if (match === null)
    throw new SparkAddressError(
      'The address of Spark is sc://host:port, with /;use_ssl=true;token=… behind it where it is needed.',
    );
  const { metadata, ...parameters } = readParameters(match[3] ?? '');
  const host = match[1];
  const port = Number(match[2] ?? usualPort);
  const token = parameters['token'] ?? tokenFromEnvironment;
  const tls = parameters['use_ssl'] === 'true';
  const secret = token === undefined ? Object.keys(metadata)[0] : 'A token';
  if (secret !== undefined && !tls && !isLoopback(host))
    throw new SparkAddressError(
      `${secret} for ${host} would cross the network in the clear. Add ;use_ssl=true, or reach the server through a tunnel on 127.0.0.1.`,
    );
  const userId = parameters['user_id'];
  return {
    host,
    port,
    tls,
    ...(token !== undefined && { token }),
    ...(userId !== undefined && { userId }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

interface Parameters {
  readonly use_ssl?: string;
  readonly token?: string;
  readonly user_id?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

function readParameters(text: string): Parameters {
  const parameters: Record<string, string> = {};
  const metadata: Record<string, string> = {};
  for (const pair of text.split(';').filter((each) => each !== '')) {
    const [, name, coded] = /^([\w-]+)=(.*)$/s.exec(pair) ?? [];
    // What has no name may be a value that lost its own.
    if (name === undefined)
      throw new SparkAddressError('A parameter of the address of Spark is not name=value.');
    const value = decodedValue(name, coded);
    if (['use_ssl', 'token', 'user_id'].includes(name)) parameters[name] = value;
    else if (/^x-/i.test(name)) metadata[name.toLowerCase()] = value;
    else
      throw new SparkAddressError(
        `The address of Spark has a parameter "${name}"; known are use_ssl, token, user_id and x-….`,
      );
  }
  return { ...parameters, metadata };
}

/** A header of HTTP holds printable ASCII alone. */
function decodedValue(name: string, coded: string): string {
  try {
    const value = decodeURIComponent(coded);
    if (/^[ -~]*$/.test(value)) return value;
  } catch {
    // Said below.
  }
  throw new SparkAddressError(`The address of Spark has a parameter "${name}" whose value is no plain text.`);
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
