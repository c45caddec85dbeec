import { describe, expect, it } from 'vitest';
import type { Certificate } from './certificate.js';
import { certificateText } from './certificate-text.js';
import { exampleModel, exampleRun, exampleStatement } from './example-model.test.data.js';
import { modelCard } from './model-card.js';
import type { PublishedModel } from './published-model.js';

const example = exampleModel();
const certificate: Certificate = { ...exampleStatement, files: {}, hash: 'f'.repeat(64) };
const published: PublishedModel = { ...example, certificate };

describe('modelCard', () => {
  it('says what the model is, what is promised, what it is for and how to check it', () => {
    const card = modelCard(published);
    for (const heading of ['What it is', 'Data', 'Intended use', 'Not intended', 'How to check it'])
      expect(card).toContain(`\n## ${heading}\n`);
    expect(card).toContain('Vectors of 2 numbers for 3 items');
    expect(card).toContain('ratings from 0.5 to 5');
    expect(card).toContain('`rank=2`, `centre=true`');
    expect(card).toContain('f'.repeat(64));
    expect(card).toContain('It is not signed.');
    // All of the certificate in words, word for word.
    for (const line of certificateText(certificate).split('\n'))
      expect(card).toContain(line.startsWith('#') ? `#${line}` : line);
  });

  it('names what was declared and public sources, on one line whatever their names are', () => {
    const sources = [{ name: 'genres\n# `x`', kind: 'categorical', sha256: 'a'.repeat(64) }];
    const run = { ...exampleRun, declaredPeople: 2000, sources, trainedOn: { protocol: 'holdout' } };
    const card = modelCard({ ...published, manifest: { ...example.manifest, run } });
    expect(card).toContain('About 2,000 people, as declared.');
    expect(card).toContain('- Public source: `genres # x ` (`categorical`)');
    expect(card).toContain('Trained on a part of the data: `protocol holdout`.');
    expect(modelCard(published)).not.toContain('people, as declared');
  });

  it('recommends nobody to publish what protects nobody', () => {
    for (const unprotected of [{ epsilon: null }, { simulation: true }])
      expect(modelCard({ ...published, certificate: { ...certificate, ...unprotected } })).toContain(
        'Do not publish it: it protects nobody.',
      );
    expect(modelCard(published)).toContain('The folder may be given to anyone.');
  });
});
