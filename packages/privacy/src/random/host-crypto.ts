/** What is used of Node's own module. */
interface NodeCrypto {
  createHash(name: 'sha256'): { update(bytes: Uint8Array): { digest(): Uint8Array } };
  createCipheriv(
    name: 'aes-256-ctr',
    key: Uint8Array,
    counter: Uint8Array,
  ): { update(bytes: Uint8Array): Uint8Array };
}

/**
 * Node's own implementation where there is one: it reads what it is given where it lies, while WebCrypto
 * copies it first and answers through a queue. Reports are large, so that this is a tenth of what a
 * participant computes. The bytes are the same.
 */
const node = (
  globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }
).process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined;

/** SHA-256 by the host. */
export async function hostSha256(bytes: Uint8Array): Promise<Uint8Array> {
  if (node !== undefined) return node.createHash('sha256').update(bytes).digest();
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
}

/** The first bytes of AES-256-CTR under a key of 32 bytes, from counter 0, by the host. */
export async function hostKeyStream(key: Uint8Array, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const zeros = new Uint8Array(length);
  if (node !== undefined) {
    const stream = node.createCipheriv('aes-256-ctr', key, new Uint8Array(16)).update(zeros);
    return new Uint8Array(stream.buffer as ArrayBuffer, stream.byteOffset, stream.length);
  }
  const imported = await crypto.subtle.importKey('raw', key.slice(), 'AES-CTR', false, ['encrypt']);
  const counter = { name: 'AES-CTR', counter: new Uint8Array(16), length: 64 };
  return new Uint8Array(await crypto.subtle.encrypt(counter, imported, zeros));
}
