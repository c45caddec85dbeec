import { expect, it } from 'vitest';
import { exampleFactors, exampleModel, exampleStatement } from '../../model/src/example-model.test.data.js';
import { encodePublished } from './publish/encode-published.js';
import { verifyModel } from './verify-model.js';

// Nothing here makes the papers' methods known: `verifyModel` does, whatever came before.
async function verified(method: string, settings: Readonly<Record<string, number | boolean>>) {
  const { manifest, ...rest } = exampleModel(exampleFactors, { ...exampleStatement, method });
  const files = await encodePublished({ ...rest, manifest: { ...manifest, method, settings } });
  return verifyModel(files);
}

it('knows the settings of every method, also of the papers’', async () => {
  const { ok, checks } = await verified('dpals', { rank: 2 });
  expect(checks.filter((check) => !check.ok)).toEqual([]);
  expect(ok).toBe(true);
});

it.each([
  ['a setting that the method does not have', { rank: 2, people: 4000 }, 'people'],
  ['a setting of another type', { rank: true }, 'rank'],
])('refuses %s', async (_, settings, name) => {
  const { checks } = await verified('dpals', settings);
  const [fault, ...others] = checks.filter((check) => !check.ok);
  expect(others).toEqual([]);
  expect(fault.detail).toContain(`dpals has no setting "${name}"`);
});

it('says where it cannot know: a method that is a plug-in elsewhere', async () => {
  const { ok, warnings } = await verified('of-a-plug-in', { people: 4000 });
  expect(ok).toBe(true);
  expect(warnings.join(' ')).toContain('Settings not checked: the method "of-a-plug-in" is not known here');
});
