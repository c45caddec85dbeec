// Writes docs/notation.md: the letters of the papers, and the names of settings and releases as the methods'
// own schemas and plans have them.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/**
 * One symbol, its letters in the papers, and its words in the code. `settings` must be settings of some
 * method.
 */
const symbols = [
  ['n, m', 'n, m', 'n, m (§2: m, n)', 'k users', 'users, items', 'users, items', '`userCount`, `itemCount`'],
  ['d', 'r', 'd', 'd', 'd', 'd', '{rank}; `width` where a matrix is meant, not a model'],
  ['i, j', 'i, j', 'i, j', 'k, j', 'u, i', 'u, i', '`user`, `item`'],
  ['Ω_i, Ω^j', 'Ω_i, Ω_j', 'Ω_i', 'D_k', 'R(u), R(i)', 'I_u, U_i', 'rows of `byUser`, of `byItem`'],
  [
    'r_ij, y_ij',
    'M_ij',
    'M_ij',
    'y_i',
    'r_ui, e_ui',
    'r_ui ∈ {0,1}',
    '`values`, `targets` (after centring and clipping)',
  ],
  [
    'u_i, v_j',
    'U_i, V_j',
    'u_i, v_j',
    'u_k, v_j',
    'p_u, q_i',
    'p_u, q_i',
    '`users`, `items` (`FactorMatrix`)',
  ],
  ['w_ij', '0/1 by sampling', 'W_ij', 'w_i', '–', 'w_ui (importance)', '`weights`, `rootWeights` (√w)'],
  ['β = max_i Σ_j w_ij²', 'k', 'β', 'w̄²', '–', '–', '`weightBudget`'],
  [
    'A_j, b_j',
    'H_j, w_j',
    'A_j, b_j',
    'A_j, b_j',
    '–',
    'quadratic, linear coefficient',
    '`matrices`, `vectors`',
  ],
  [
    'Γ_u',
    'Γ_u',
    'Γ_U',
    'Γ_u',
    'p_max, q_max',
    '‖p‖ bounds',
    '{clipNorm}; {userNorm}, {itemNorm}; {l1Bound}, {l2Bound}',
  ],
  ['Γ_y', 'Γ_M', 'Γ_M', 'Γ_y', 'B, e_max', '1', '{targetBound}; {residualBound}, {errorBound}'],
  [
    'λ',
    'λ',
    'λ, λ′ (features)',
    'λ_u, λ_v',
    'λ',
    'λ',
    '{ridge}; {userRidge}, {itemRidge}, {featureRidge} where they differ',
  ],
  ['α₀', 'λ₀', 'α₀', 'α₀', '–', 'α₀', '{unobservedWeight}'],
  [
    'T',
    'T',
    'T',
    'S outer, T inner',
    'k iterations',
    'passes',
    '{rounds}; {innerSteps}, {stepsPerRound} within one',
  ],
  ['σ/Δ', 'σ', '1/√Σw²', 'σ', '–', '–', '`noiseMultiplier`'],
  ['μ', '–', '–', '–', '–', '–', '`mu`: Gaussian-DP parameter, Δ/σ; of several releases √Σμ²'],
  ['ε, δ', 'ε, δ', 'ε, δ', 'ε, δ', 'ε', 'ε', '`epsilon`, `delta`'],
];

const heads = [
  'symbol here',
  'DPALS (Chien et al. 2021)',
  'DP-CMF (Curmei et al. 2023)',
  'AM-SSP (Krichene et al. 2024)',
  'Friedman et al. 2016',
  'DPIMF (Ran et al.)',
  'in the code',
];

/** The page, from the methods. Throws where a word of the table of symbols is not a setting. */
export function notationPage(methods) {
  const byName = new Map();
  for (const method of methods)
    for (const [name, setting] of Object.entries(method.settings)) {
      const uses = byName.get(name) ?? [];
      uses.push({ method: method.id, setting });
      byName.set(name, uses);
    }
  const word = (text) =>
    text.replaceAll(/\{(\w+)\}/g, (whole, name) => {
      if (whole === '{0,1}') return whole;
      if (!byName.has(name))
        throw new Error(`docs/notation.md names the setting ${name}, which no method has.`);
      return `\`${name}\``;
    });
  return [
    '# Notation',
    'One symbol, one name. The papers use different letters for the same thing; the code uses the words on the right. ' +
      'Made from the schemas and plans of the methods by `node tools/notation-page.mjs`; a test compares the two.',
    table(
      heads,
      symbols.map((row) => row.map(word)),
    ),
    'Symmetric noise: GOE(σ) has variance σ² on the diagonal and σ²/2 off it. `symmetric` layouts use it; the papers’ N_sym has ' +
      'σ² everywhere and protects no better.',
    'Clip: clip(u, c) = u · **min**(1, c/‖u‖₂) for vectors, and max(−c, min(c, y)) for numbers, two-sided.',
    '## Settings',
    'By name; where a name means the same with another range or unit, each meaning is a row.',
    table(
      ['setting', 'meaning', 'methods'],
      [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, uses]) => meanings(name, uses)),
    ),
    '## Releases',
    'Names of releases, as they stand in plans, records and certificates: lower-case words joined by hyphens. Those of later stages, ' +
      'whose noise follows from what was released before, are among them. Certificates add `sampler-inexactness`: how far the noise ' +
      'that is drawn is from the noise that is meant. Where the budget grows from round to round, each round is a line of its own and its name ends in `-round-` and its number.',
    table(['release', 'methods'], releaseRows(methods)),
  ]
    .join('\n\n')
    .concat('\n');
}

function meanings(name, uses) {
  const methodsOf = new Map();
  for (const { method, setting } of uses)
    methodsOf.set(setting.description, [...(methodsOf.get(setting.description) ?? []), method]);
  return [...methodsOf].map(([description, ids]) => [`\`${name}\``, description, ids.join(', ')]);
}

/**
 * The names of releases with default settings, for each kind of feedback and each unit of privacy a method
 * has.
 */
function releaseRows(methods) {
  const methodsOf = new Map();
  for (const method of methods)
    for (const plan of plansOf(method))
      for (const name of releaseNames(plan)) {
        const kind = name.replace(/-round-\d+$/, '');
        methodsOf.set(kind, new Set([...(methodsOf.get(kind) ?? []), method.id]));
      }
  return [...methodsOf]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, ids]) => [`\`${name}\``, [...ids].join(', ')]);
}

/** Names of the releases of a plan: those of its first stage, and those that later stages may make. */
export function releaseNames({ releases, later }) {
  return [...releases, ...(later?.allowed ?? [])].map(({ name }) => name);
}

/** Plans of a method from default settings, one for each choice of each of its switches. */
export function plansOf(method) {
  const defaults = Object.fromEntries(
    Object.entries(method.settings).map(([key, { default: value }]) => [key, value]),
  );
  const switches = Object.entries(method.settings).flatMap(([key, setting]) => {
    if (setting.type === 'choice') return setting.choices.map((choice) => ({ [key]: choice }));
    if (setting.type === 'boolean') return [{ [key]: true }, { [key]: false }];
    if (key === 'unobservedWeight') return [{ [key]: 0.5, feedback: 'implicit' }];
    return key === 'samplingRate' ? [{ [key]: 0.5 }] : [];
  });
  const scale = { min: 1, max: 5, step: 1 };
  const shape = { itemCount: 100, scale, epsilon: 1, delta: 1e-6, features: [] };
  return [{}, ...switches].flatMap((choice) => {
    try {
      return [method.plan({ ...defaults, ...choice }, shape)];
    } catch (error) {
      // A switch that does not go with the other defaults has no plan.
      if (error?.name === 'SettingsError') return [];
      throw error;
    }
  });
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await import('@hushrec/papers/register');
  const { methods } = await import('@hushrec/factorize');
  writeFileSync(new URL('../docs/notation.md', import.meta.url), notationPage(methods));
}
