import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { controlCommands } from '../../scripts/paymentSimulator/control';
import { faultKinds } from '../../scripts/paymentSimulator/faults';
import { sandboxAccounts } from '../../scripts/paymentSimulator/testAccounts';
import { Environment } from '../../src/config';
import { routes } from '../../src/endpoints';

/** An operator follows docs/stripe.md and docs/payments.md step by step: each name in them exists. */

const root = resolve(__dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const documents = ['docs/stripe.md', 'docs/payments.md'];

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|sql)$/.test(name))
  .map((name) => read(`src/${name}`))
  .join('\n');

/** The words in backticks. */
const codeIn = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

/** The texts of the console in English. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}

/** Settings of programs beside the service. */
const settingsOfOthers = ['STRIPE_TEST_KEY', 'DATA_DIR', 'PAYMENT_SIMULATOR_NOTIFY_URL'];

/** What an operator chooses in Stripe's dashboard. */
const labelsOfStripe = ['Enable', 'Recurring', 'payments', 'events on connected accounts', 'Recurring\npayments'];

describe.each(documents)('%s', (name) => {
  const text = read(name);
  const codes = codeIn(text);

  test('each setting exists', () => {
    const named = codes
      .map((code) => /^([A-Z]+(?:_[A-Z]+)+)(?:=.*)?$/.exec(code)?.[1])
      .filter((one) => one !== undefined);
    const known = [...Object.keys(Environment.shape), ...settingsOfOthers];
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((one) => !known.includes(one))).toEqual([]);
  });

  test('each request is one of the service or of the sandbox', () => {
    const known = [
      ...routes.map(({ endpoint: { method, path } }) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`),
      ...controlCommands.map((command) => command.replace(' ', ' /simulator/')),
    ];
    const named = codes.filter((code) => /^(GET|POST|PUT|DELETE) \//.test(code));
    const unknown = named.filter((code) => !known.includes(code.replaceAll(/\{\w+\}/g, '{}').replace(/\?.*$/, '')));
    expect(named.length).toBeGreaterThan(3);
    expect(unknown).toEqual([]);
  });

  test('each address at which a provider notifies exists', () => {
    const named = codes.flatMap((code) => /^BASE_URL(\/\S+)$/.exec(code)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(0);
    expect(
      named.filter((path) => !routes.some(({ endpoint }) => endpoint.path === path && endpoint.method === 'post')),
    ).toEqual([]);
  });

  test('each label in bold is one of the console', () => {
    const labels = textsIn(JSON.parse(read('src/pages/locales/en.json')));
    const named = [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, label = '']) => label);
    const parts = named.filter((label) => !labelsOfStripe.includes(label)).flatMap((label) => [label.split(', ')]);
    const isText = (part: string) => labels.some((label) => label === part || label.startsWith(`${part},`));
    const isLabel = (split: string[]) => isText(split.join(', ')) || split.every(isText);
    expect(parts.length).toBeGreaterThan(0);
    expect(parts.filter((split) => !isLabel(split))).toEqual([]);
  });

  test('each field, code and metric is in the source', () => {
    const named = codes.filter((code) => /^[a-z]+(_[a-z]+)+$/.test(code));
    expect(named.length).toBeGreaterThan(3);
    const isKnown = (code: string) => new RegExp(`\\b${code}\\b`).test(sources) || isOfSandbox(code);
    expect(named.filter((code) => !isKnown(code))).toEqual([]);
  });

  test('each command of npm exists', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, command = '']) => command);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((command) => !(command in scripts))).toEqual([]);
  });
});

/** Words that only the ledger of the sandbox reads. */
const isOfSandbox = (code: string) =>
  code === 'tok_success' ||
  ['account', 'disputes', 'outcomes'].some((file) => read(`scripts/paymentSimulator/${file}.ts`).includes(`'${code}'`));

describe('the permissions of a restricted key in docs/stripe.md', () => {
  /** The resources whose name in the document is not that of Stripe's library in words. */
  const names: Record<string, string> = { accounts: 'account' };
  /** Only a platform uses them, with its own secret key. */
  const ofPlatform = ['accountLinks'];
  const wordsOf = (resource: string) =>
    names[resource] ?? resource.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

  test('each resource that the service reads or changes at Stripe is named', () => {
    const folder = 'src/adapters/cardProviders';
    const code = readdirSync(join(root, folder))
      .filter((name) => name.startsWith('stripe'))
      .map((name) => read(`${folder}/${name}`))
      .join('\n');
    const calls = code.matchAll(/\b(?:client|inBackground)\.(?:tax\.)?(?!makeRequest)(\w+)\.\w+\(/g);
    const used = [...new Set([...calls].map(([, resource = '']) => resource))].filter(
      (resource) => !ofPlatform.includes(resource) && resource !== 'webhooks',
    );
    expect(used.length).toBeGreaterThan(9);
    const [, permissions = ''] = /(A restricted key needs [\s\S]*?)\n\n/.exec(read('docs/stripe.md')) ?? [];
    const text = permissions.replaceAll('\n', ' ');
    expect(used.filter((resource) => !text.includes(wordsOf(resource)))).toEqual([]);
  });
});

describe('the sandbox in docs/payments.md', () => {
  const text = read('docs/payments.md');

  test('each command and each fault of its control API is listed, and nothing else', () => {
    const [, section = ''] = /## The sandbox\n([\s\S]*?)\n## /.exec(text) ?? [];
    const listed = codeIn(section).flatMap(
      (code) => /^(\w+) \/simulator\/([\w-]+)$/.exec(code)?.slice(1, 3).join(' ') ?? [],
    );
    const inExamples = ['POST faults'];
    const ofTests = ['GET account', 'POST foreign-charges', 'POST age'];
    expect([...new Set([...listed, ...inExamples, ...ofTests])].sort()).toEqual(controlCommands.toSorted());
    const kinds = [...section.matchAll(/^\| `(\w+)` \| (?!What)/gm)].map(([, kind = '']) => kind);
    expect(kinds.sort()).toEqual([...faultKinds].sort());
  });

  test('each bank account in the table is one of the sandbox', () => {
    const named = codeIn(text).filter((code) => /^DE\d\d /.test(code));
    const known = sandboxAccounts.map(({ iban }) => iban);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((iban) => !known.includes(iban.replaceAll(' ', '')))).toEqual([]);
  });
});
