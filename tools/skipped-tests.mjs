// A reporter for vitest: counts skipped tests in one line at the end, with the reasons.

/**
 * Why a test was skipped: what its name, or that of a group around it, says in brackets or after a colon;
 * else the name itself.
 *
 * @param {readonly string[]} names of the groups around it, then its own
 */
export function reasonOf(names) {
  for (const name of names) {
    const [, reason] = /\((?:skipped:? ?)?([^()]+(?:\([^()]*\)[^()]*)*)\)$/.exec(name) ?? [];
    if (reason !== undefined && !/^s$/.test(reason)) return reason;
  }
  const own = names.at(-1);
  return /: (.+)$/.exec(own)?.[1] ?? `not on this system: ${own}`;
}

/** @param {readonly (readonly string[])[]} skipped the names of each skipped test */
export function skippedLine(skipped) {
  if (skipped.length === 0) return 'No test was skipped.';
  const counts = new Map();
  for (const names of skipped) counts.set(reasonOf(names), (counts.get(reasonOf(names)) ?? 0) + 1);
  const parts = [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count} (${reason})`);
  return `Skipped tests: ${skipped.length}: ${parts.join(', ')}.`;
}

export default class SkippedTests {
  onTestRunEnd(modules) {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    console.log(skippedLine(skipped.map(namesOf)));
  }
}

function namesOf(test) {
  const names = [];
  for (let at = test; at !== undefined && at.type !== 'module'; at = at.parent) names.unshift(at.name);
  return names;
}
