import type { AuditRequest } from '@hushrec/audit';
import type { SweepRequest } from '@hushrec/evaluate';
import type { PlanRequest, PublicShape } from '@hushrec/factorize';
import type { CharterRequest } from '@hushrec/federate';
import type { GrantRequest, Ledger } from '@hushrec/ledger';
import type { CertificateStatement } from '@hushrec/model';
import { type CalibratedPlan, type Delta, delta, type Epsilon, epsilon } from '@hushrec/privacy';
import type { TrainAndPublishRequest } from '@hushrec/train';
import { expect, it } from 'vitest';
import type { TrainOptions } from './train.js';

/** Whether a δ is refused for its ε, and an ε for its δ. */
type TellsApart<Asked extends { readonly epsilon?: unknown; readonly delta?: unknown }> = [
  Delta extends Asked['epsilon'] ? false : true,
  Epsilon extends Asked['delta'] ? false : true,
];

it('whatever asks for ε and δ, or states them, tells them apart by type', () => {
  // The build stops where one of these is not `true`.
  const told: [
    ...TellsApart<TrainOptions>,
    ...TellsApart<TrainAndPublishRequest>,
    ...TellsApart<PlanRequest>,
    ...TellsApart<PublicShape>,
    ...TellsApart<GrantRequest>,
    ...TellsApart<CharterRequest>,
    ...TellsApart<AuditRequest>,
    ...TellsApart<CalibratedPlan>,
    ...TellsApart<CertificateStatement>,
    Epsilon extends SweepRequest['delta'] ? false : true,
    Epsilon extends Parameters<Ledger['balance']>[1] ? false : true,
  ] = [
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
  ];
  expect(told).toHaveLength(20);
});

it('and takes plain numbers and checked ones', () => {
  const plain: TrainOptions = { out: 'model', epsilon: 1, delta: 1e-6 };
  const checked: TrainOptions = { out: 'model', epsilon: epsilon(1), delta: delta(1e-6) };
  expect(plain).toEqual(checked);
});
