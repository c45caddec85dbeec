// node limited-writer.mjs state|ledger <file>: durable writes one after another, each told on standard output
// when it is said to be on the disk. Run under a limit on the size of files (`ulimit -f`), it meets a full
// disk at whatever byte the limit names, below SQLite too, where no port of ours reaches.
const [what, file] = process.argv.slice(2);
const tell = (text) => new Promise((done) => process.stdout.write(`${text}\n`, done));
const rounds = 12;
const account = 'a'.repeat(32);
const protection = { unit: 'user', relation: 'add-remove' };

try {
  if (what === 'state') {
    const { openRunStore } = await import('../../../apps/server/dist/state/open-run-store.js');
    const store = await openRunStore(file);
    for (let k = 0; k < rounds; k++) {
      await store.put({ id: `run ${k}`, createdAt: String(k), status: 'done', error: 'x'.repeat(1500) });
      await tell(`run ${k}`);
    }
    await store.close();
  } else {
    const { openLedger } = await import('@hushrec/ledger');
    const ledger = await openLedger(file, { create: true });
    await ledger.grant(account, { epsilon: 5, delta: 1e-5, protection });
    await tell('grant');
    for (let k = 0; k < rounds; k++) {
      const charge = { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 100 } };
      const { entry } = await ledger.spend({
        account,
        jobKey: `job ${k}`,
        method: 'dpals',
        protection,
        charge,
      });
      await tell(entry);
    }
    await ledger.close();
  }
  await tell('end');
} catch (error) {
  process.stderr.write(`${error.name}: ${error.message}\n`);
  process.exitCode = 1;
}
