import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { secrets } from '../../src/config';
import { endpoints, pages } from '../../src/endpoints';

/** The commands of the runbooks exist, and tests run their programs. `alerts.test.ts` runs the SQL statements. */

const root = path.join(__dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const folder = 'docs/runbooks';
const runbooks = readdirSync(path.join(root, folder)).map((name) => read(`${folder}/${name}`));
const guides = [...runbooks, ...['operating', 'backups', 'kubernetes'].map((name) => read(`docs/${name}.md`))];

const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));
const tests = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && name !== path.relative(path.join(root, 'test'), __filename))
  .map((name) => read(`test/${name}`));
const allOf = (texts: readonly string[], pattern: RegExp) =>
  texts.flatMap((text) => [...text.matchAll(pattern)].map(([, found = '']) => found));

/** `messages.js` and `list`, of `node dist/scripts/messages.js list`. */
function programOf(command: string): { program: string; order: string | undefined } {
  const [, program, order] = /([\w-]+\.(?:m?js|sh))(?: ([\w-]+))?/.exec(command) ?? [];
  if (program === undefined) throw new Error(`No program in the command ${command}`);
  return { program, order };
}

test('each npm command in a runbook exists, and a test runs its program with the same order', () => {
  const names = new Set(allOf(runbooks, /npm run ([\w:-]+)/g));
  expect(names.size).toBeGreaterThan(15);
  expect([...names].filter((name) => !(name in scripts))).toEqual([]);
  const isRun = (name: string) => {
    const { program, order } = programOf(scripts[name] ?? '');
    return tests.some((text) => text.includes(program) && (order === undefined || text.includes(`'${order}'`)));
  };
  expect([...names].filter((name) => !isRun(name))).toEqual([]);
});

test('each command for a container is that of an npm command', () => {
  const known = Object.values(scripts);
  const commands = allOf(guides, /\bnode (dist\/[\w/]+\.js(?: [a-z][a-z-]+)?)/g);
  expect(commands.length).toBeGreaterThan(8);
  const isKnown = (command: string) => known.some((script) => `${script} `.startsWith(`node ${command} `));
  expect([...new Set(commands)].filter((command) => !isKnown(command))).toEqual([]);
});

const compose = z
  .object({ services: z.record(z.string(), z.unknown()) })
  .parse(parse(read('docker-compose.yml'), { merge: true }));

const withValue = new Set(['--index', '--tail', '--scale', '--entrypoint', '--user']);

test('each Docker Compose command names services that exist', () => {
  const words = allOf(guides, /docker compose (?:run|exec|stop|up|logs|ps) ([^`\n|)]*)/g).map((command) =>
    command.split(' '),
  );
  expect(words.length).toBeGreaterThan(15);
  const named = words.flatMap(servicesIn);
  expect(named.length).toBeGreaterThan(20);
  expect([...new Set(named)].filter((name) => !(name in compose.services))).toEqual([]);
});

test('each command that reads from a file or another command opens its standard input', () => {
  const joined = guides.join('\n').replace(/\|\n\s*/g, '| ');
  const started = /(?:docker compose (?:run|exec)|kubectl [^`\n|]*\bexec) [^`\n|]*/g;
  const commands = [...joined.matchAll(started)].map(({ 0: command, index }) => ({
    command,
    isReading: / <[^<]| - *$/.test(command) || joined.slice(0, index).endsWith(' | '),
  }));
  const reading = commands.filter(({ isReading }) => isReading).map(({ command }) => command);
  expect(reading.filter((command) => command.startsWith('docker')).length).toBeGreaterThan(3);
  expect(reading.filter((command) => command.startsWith('kubectl')).length).toBeGreaterThan(0);
  const isOpen = (command: string) => (command.startsWith('docker') ? / -T / : / --stdin /).test(command);
  expect(reading.filter((command) => !isOpen(command))).toEqual([]);
});

test('each way to run a command that reads a key is there for Docker Compose and for Kubernetes', () => {
  const commands = allOf(runbooks, /((?:docker compose run|kubectl .*exec) .*encryptionKey\.js add -.*)/g);
  const starts = commands.map((command) => command.split(' ')[0]);
  expect(starts.sort()).toEqual(['docker', 'kubectl']);
});

/** The services of a command: the first word that is no option, and with `stop`, `up`, `logs` and `ps` all such words. */
function servicesIn(words: readonly string[]): string[] {
  const plain = words.filter((word, at) => /^[a-z]/.test(word) && !withValue.has(words[at - 1] ?? ''));
  const isList = plain.every((word) => /^[a-z-]+$/.test(word) && word in compose.services);
  return isList ? plain : plain.slice(0, 1);
}

test('only its owner can read a file with a key, and such a file is never committed', () => {
  const lines = runbooks.flatMap((text) => text.split('\n'));
  const writing = lines.filter((line) => /[^-]>\s*(?:encryption-key|jwt-keys)\./.test(line));
  expect(writing.length).toBeGreaterThan(2);
  expect(writing.filter((line) => !line.trim().startsWith('(umask 077; '))).toEqual([]);
  const kinds = new Set(allOf(runbooks, /\b((?:encryption-key|jwt-keys)\.)(?:new|old)/g));
  const ignored = read('.gitignore').split('\n');
  expect([...kinds].filter((kind) => !ignored.includes(`${kind}*`))).toEqual([]);
});

test('no program has a secret among its arguments', () => {
  const commands = allOf(guides, /(.*\$\((?:cat|base64)\b.*)/g);
  expect(commands.length).toBeGreaterThan(0);
  // The shell itself runs `printf`.
  expect(commands.filter((command) => !/^\s*printf /.test(command))).toEqual([]);
});

test('each path in a runbook is one of an endpoint or a page', () => {
  const declared = [...endpoints, ...pages].flatMap((list) => Object.values<{ path: string }>(list));
  // The server that decrypts payloads for the Temporal UI declares no endpoint.
  const paths = new Set([...declared.map(({ path: known }) => known), '/codec']);
  const named = allOf(runbooks, /`(?:GET |POST |PUT |DELETE )?(\/[a-z][\w/{}-]*)`/g);
  expect(named.length).toBeGreaterThan(5);
  expect([...new Set(named)].filter((name) => !paths.has(name))).toEqual([]);
});

test('each secret of the settings has a way to be replaced', () => {
  const [, table = ''] = read(`${folder}/replace-secrets.md`).split('| Secret | How |');
  expect(secrets.filter((name) => !table.split('\n## ')[0]?.includes(`\`${name}\``))).toEqual([]);
});
