import { importRatings, ledgerOf, recommend, train, verify } from 'hushrec';

const { directory, people, items } = await importRatings('ratings.csv', { scale: '1:5:1', overwrite: true });
console.log(`${people} people, ${items} items`);

const { ledger, account } = await ledgerOf(directory); // what all runs together may cost these people
const protection = { unit: 'user', relation: 'add-remove' } as const;
await ledger.grant(account.id, { epsilon: 5, delta: 1e-6, protection });
await ledger.close();

const { certificate } = await train(directory, { epsilon: 1, people: 1000, out: 'model', overwrite: true });
console.log(`ε = ${certificate.epsilon}, δ = ${certificate.delta} for each ${certificate.unit}`);
const { ok } = await verify('model'); // by a second accountant
const { items: best } = await recommend('model', [{ id: 'dune', rating: 5 }], { k: 5 });
console.log(ok ? best.map(({ id }) => id).join(' ') : 'The certificate does not hold.');
