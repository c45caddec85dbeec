// A role as a process of its own: how it is started, what it is told, what it used.
import { fork } from 'node:child_process';

/** What a role used: CPU seconds and the most memory it had, in megabytes. */
export function used() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return { cpu: (userCPUTime + systemCPUTime) / 1e6, megabytes: Math.round(maxRSS / 1024) };
}

/**
 * Starts a file of this folder as a role, a process of its own; gives its first message, a way to talk to it,
 * and what it used when it is told to stop.
 */
export async function startRole(file, input) {
  const child = fork(new URL(file, import.meta.url), {
    execArgv: [...process.execArgv, '--max-old-space-size=12000', '--max-semi-space-size=64'],
    serialization: 'advanced',
  });
  const next = () => new Promise((resolve) => child.once('message', resolve));
  child.send(input);
  const first = await next();
  return {
    first,
    next,
    send: (message) => child.send(message),
    stop: async () => {
      const last = next();
      child.send('stop');
      return last;
    },
  };
}

/** In a role: the next message of whoever started it. */
export const received = () => new Promise((resolve) => process.once('message', resolve));
