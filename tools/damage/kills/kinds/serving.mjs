import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeSampleDataset } from '../../../../apps/server/dist/testing/sample-models.test.data.js';
import { writeScriptedCommandLine } from '../../../../apps/server/dist/testing/scripted-command-line.test.data.js';
import { hasNamespaces, pause, started } from '../killed.mjs';

const server = fileURLToPath(
  new URL('../../../../apps/server/dist/testing/serve-forever.test.data.js', import.meta.url),
);

/**
 * A server that takes runs, always process 1 where there are namespaces: it starts again each time and knows
 * every run that it acknowledged.
 */
export function serving(folder) {
  mkdirSync(join(folder, 'models'));
  writeSampleDataset(join(folder, 'data'));
  writeScriptedCommandLine(folder);
  const acknowledged = [];
  return async (round, { random }) => {
    const args = [server, folder, join(folder, 'state.sqlite')];
    const { child, end, first, words } = started(args, hasNamespaces);
    const line = await first;
    if (line === undefined) return { fault: `it did not start again: ${words().slice(0, 200)}` };
    const { url, token } = JSON.parse(line);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { runs } = await (await fetch(`${url}/api/runs?limit=500`, { headers })).json();
    const known = new Map(runs.map(({ id, status }) => [id, status]));
    const lost = acknowledged.slice(-400).filter((id) => known.get(id) !== 'interrupted');
    let isWriting = true;
    const writing = (async () => {
      for (let k = 0; isWriting; k++) {
        const asked = { dataset: 'sample', method: 'als', settings: {}, model: `slow-${round}-${k}` };
        const post = (path, body) =>
          fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
        const { hash: plan } = await (await post('/api/plans', asked)).json();
        const response = await post('/api/runs', { ...asked, plan });
        if (response.status === 201) acknowledged.push((await response.json()).id);
        else await pause(20);
      }
    })().catch(() => {});
    await pause(random.below(150));
    isWriting = false;
    child.kill('SIGKILL');
    await end;
    await writing;
    return {
      isFirst: hasNamespaces,
      fault:
        lost.length === 0 ? undefined : `${lost.length} acknowledged runs were lost or are not interrupted`,
    };
  };
}
