// The wheel as people get it: installed without network and without Node, used as python/README.md says.
// Needs a Python with pip (HUSHREC_PYTHON); `.ci/run` says what else, and each part that is missing is
// skipped with its reason.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: a tool without types
import { mostBytes, packWheel } from './release.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-python-'));
const python = process.env['HUSHREC_PYTHON'] ?? 'python3';
/** A folder of wheels, so that nothing is fetched. */
const wheels = process.env['HUSHREC_WHEELS'];
const has = (...modules: string[]) => spawnSync(python, ['-c', `import ${modules.join(',')}`]).status === 0;
const skipped = (isThere: boolean, what: string) => (isThere ? '' : ` (skipped: ${what} is missing)`);
const canBuild = has('pip', 'hatchling');
const isEmptyReady = canBuild && wheels !== undefined;
const hasFrames = canBuild && has('pandas', 'polars', 'pyarrow');
const hasNotebooks = canBuild && has('pandas', 'nbclient', 'ipykernel');
const hasTypes = canBuild && has('mypy');

let wheel: string;
/** The wheel as it is unpacked beside the libraries of `python`. */
const installed = join(folder, 'installed');
const withPackage = { PYTHONPATH: installed, XDG_STATE_HOME: join(folder, 'state') };

function run(command: string, args: readonly string[], environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...environment },
  });
  expect(status, `${command} ${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

describe.skipIf(!canBuild)(`the wheel${skipped(canBuild, `hatchling for ${python}`)}`, () => {
  beforeAll(async () => {
    const packed = await packWheel(join(folder, 'wheel'), python);
    expect(packed.why).toBeUndefined();
    wheel = packed.wheel;
    console.log(`${basename(wheel)}: ${packed.size} bytes`);
    expect(packed.size).toBeLessThan(mostBytes.wheel);
    run(python, [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-deps',
      '--no-compile',
      '--no-index',
      '--target',
      installed,
      wheel,
    ]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('holds licences, types and the command, and no source maps', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    for (const file of [
      'py.typed',
      'node/bundle/main.js',
      'node/THIRD-PARTY.txt',
      'node/node_modules/libsql/LICENSE',
    ])
      expect(files).toContain(join('hushrec', file));
    expect(files.some((file) => file.endsWith('dist-info/licenses/LICENSE'))).toBe(true);
    expect(files.filter((file) => /\.js\.map$|\.test\.|__pycache__/.test(file))).toEqual([]);
  });

  it.skipIf(!isEmptyReady)(
    `goes from a DataFrame to a certified model in ten lines, in an empty environment without Node${skipped(isEmptyReady, 'HUSHREC_WHEELS')}`,
    () => {
      run(python, ['-m', 'venv', join(folder, 'empty')]);
      const own = join(folder, 'empty/bin/python');
      const offline = ['-m', 'pip', 'install', '--quiet', '--no-index', '--find-links', wheels!];
      run(own, [...offline, wheel, 'pandas']);
      const script = [
        'import hushrec, pandas',
        'frame = pandas.DataFrame({"user": [k // 9 for k in range(3600)], "item": [(k * k + k // 9) % 50 for k in range(3600)]})',
        'model = hushrec.train(frame, epsilon=5.0, people=400, out="model")',
        'print(model.epsilon, model.delta, hushrec.verify("model").ok)',
        'print([each.item for each in model.recommend([3, 7], k=10)])',
      ];
      expect(script.length).toBeLessThanOrEqual(10);
      writeFileSync(join(folder, 'ten-lines.py'), script.join('\n'));
      const [guarantee, list] = run(own, ['ten-lines.py'], {
        PATH: folder,
        PYTHONPATH: '',
        XDG_STATE_HOME: join(folder, 'state'),
      })
        .trim()
        .split('\n');
      expect(guarantee).toBe('5 1e-06 True');
      writeFileSync(join(folder, 'history.csv'), 'item\n3\n7\n');
      const command = join(root, 'apps/cli/bin/hushrec.js');
      const printed = run(process.execPath, [
        command,
        'recommend',
        'model',
        '--history',
        'history.csv',
        '--json',
      ]);
      const { items } = JSON.parse(printed) as { items: { id: string }[] };
      expect(JSON.parse(list!)).toEqual(items.map(({ id }) => Number(id)));
    },
  );

  it.skipIf(!hasFrames)(`passes its own tests${skipped(hasFrames, 'pandas, polars or pyarrow')}`, () => {
    run(python, ['-m', 'unittest', 'discover', '-s', join(root, 'python/tests')], withPackage);
  });

  it.skipIf(!hasTypes)(`is typed${skipped(hasTypes, 'mypy')}`, () => {
    run(python, ['-m', 'mypy', '--strict', '--cache-dir', join(folder, 'mypy'), join(installed, 'hushrec')]);
  });

  it.skipIf(!hasNotebooks)(
    `its notebook compares with implicit on one split${skipped(hasNotebooks, 'nbclient or ipykernel')}`,
    () => {
      const execute = [
        'import json, sys, nbformat, nbclient',
        'notebook = nbformat.read(sys.argv[1], 4)',
        'nbclient.NotebookClient(notebook, timeout=None, kernel_name="python3").execute()',
        'print(json.dumps([output for cell in notebook.cells for output in cell.get("outputs", [])]))',
      ].join('\n');
      const printed = run(python, ['-c', execute, join(root, 'python/compare-with-implicit.ipynb')], {
        ...withPackage,
        OPENBLAS_NUM_THREADS: '1',
        JUPYTER_PLATFORM_DIRS: '1',
      });
      const outputs = printed.trim().split('\n').at(-1)!;
      for (const words of ['recall@20', 'hush, \\u03b5 = 1', 'bestsellers']) expect(outputs).toContain(words);
      expect(outputs).toContain(has('implicit', 'scipy') ? 'implicit ALS' : 'implicit is not installed');
    },
  );

  it('its README names every function that there is', () => {
    const readme = readFileSync(join(root, 'python/README.md'), 'utf8');
    const names = readFileSync(join(root, 'python/src/hushrec/__init__.py'), 'utf8').split('__all__')[1];
    for (const [, name] of names.matchAll(/"([a-z_]+)"/g)) expect(readme).toContain(`${name}(`);
  });
});
