// Load of the federated protocol, every role a process of its own, over TLS.
//   node benchmarks/federated.mjs devices [devices] [items]     one run of hush, rank 8, 6 rounds: CPU and memory of every role
//   node benchmarks/federated.mjs proved [devices] [items]      the same with norm proofs
//   node benchmarks/federated.mjs reports [reports] [words]     one exchange with so many reports: CPU of aggregator 0
//   node benchmarks/federated.mjs proofs [numbers]              one report with a norm proof and without: bytes and CPU
//   node benchmarks/federated.mjs flood [reports]               so many on one token, on invented ones, and without the other share: who is honest is heard
import { devices, proved } from './federated/devices.mjs';
import { flood } from './federated/flood.mjs';
import { proofs } from './federated/proofs.mjs';
import { reports } from './federated/reports.mjs';

const [name, ...sizes] = process.argv.slice(2);
const load = { devices, proved, reports, proofs, flood }[name];
if (load === undefined || !sizes.every((size) => Number.isInteger(Number(size)) && Number(size) > 0)) {
  console.error(
    'node benchmarks/federated.mjs devices [devices] [items] | proved [devices] [items] | reports [reports] [words] | proofs [numbers] | flood [reports]',
  );
  process.exit(2);
}
await load(...sizes.map(Number));
process.exit(0);
