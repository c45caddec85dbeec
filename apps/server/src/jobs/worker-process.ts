import { pathToFileURL } from 'node:url';

/**
 * Runs the command line in a process of its own, so that training cannot slow the server down or take it
 * along when it runs out of memory. Started with an open channel to the server: when the server is gone,
 * however it ended, the channel closes and the work stops the way Ctrl-C stops it.
 *
 *   node worker-process.js <module of the command line> <arguments …>
 */
const [modulePath, ...args] = process.argv.slice(2);

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), 10_000).unref();
});
// Nobody reads any more where the server is gone: the work is to stop as above, not at its next word.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
// The channel alone must not keep a finished run alive.
process.channel?.unref();

// By its address: a path with a drive letter is none that `import` takes.
const { main } = (await import(pathToFileURL(modulePath).href)) as {
  main: (args: readonly string[]) => Promise<number>;
};
process.exitCode = await main(args);
