// What became of faults tried before, one line each, so that a run that was stopped goes on.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The outcomes in `path` (none without a path). An outcome holds for the content of the fault's file. */
export function outcomesIn(path, root) {
  const known = new Map();
  if (path !== undefined && existsSync(path))
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const { name, content, outcome } = JSON.parse(line);
      known.set(`${name}\n${content}`, outcome);
    }
  const key = ({ name, file }) => `${name}\n${contentOf(join(root, file))}`;
  return {
    of: (fault) => known.get(key(fault)),
    add(fault, outcome) {
      known.set(key(fault), outcome);
      if (path === undefined) return;
      const entry = { name: fault.name, content: contentOf(join(root, fault.file)), outcome };
      appendFileSync(path, `${JSON.stringify(entry)}\n`);
    },
  };
}

function contentOf(path) {
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16) : '';
}
