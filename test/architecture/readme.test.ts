import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { withEndpointTable, withSettingsTable } from '../../src/kit/readme';
import { startApp, type TestApp } from '../support/startApp';

const readme = readFileSync(resolve(__dirname, '../../README.md'), 'utf8');
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('the endpoint table is what the declarations say (`npm run readme` writes it)', async () => {
  const { routes } = await import('../../src/endpoints.js');
  const written = readFileSync(resolve(__dirname, '../../docs/endpoints.md'), 'utf8');
  expect(withEndpointTable(written, routes)).toBe(written);
});

test('the table of settings equals `src/config.ts`, and each setting has a meaning (`npm run readme` writes it)', async () => {
  const { Environment, secrets } = await import('../../src/config.js');
  const { requiredInProduction } = await import('../../src/kit/environments.js');
  const written = readFileSync(resolve(__dirname, '../../docs/settings.md'), 'utf8');
  expect(withSettingsTable(written, { schema: Environment, secrets, requiredInProduction })).toBe(written);
  expect(Object.entries(Environment.shape).filter(([, setting]) => !setting.description)).toEqual([]);
});

test('the tour runs as it is written, and prints what it says', async () => {
  const tour = blocksOf('sh tour').join('\n');
  const promised = blocksOf('text output').join('');
  expect(promised.split('\n').length).toBeGreaterThan(5);
  expect(await runInShell(tour.replace('http://127.0.0.1:8080', app.address))).toEqual({ code: 0, output: promised });
});

test('every npm script that the README names exists, and every script is named', () => {
  const { scripts } = JSON.parse(readFileSync(resolve(__dirname, '../../package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = [...readme.matchAll(/npm (?:run )?([a-z:-]+)/g)]
    .map(([, name]) => name)
    .filter((name) => name !== 'run');
  expect(named.filter((name) => name !== undefined && !(name in scripts))).toEqual([]);
  const explained = new Set(named);
  expect(Object.keys(scripts).filter((name) => !explained.has(name) && !name.startsWith('check:'))).toEqual([]);
});

function blocksOf(kind: string): string[] {
  return [...readme.matchAll(/^```(.*)\n([^]*?)^```$/gm)]
    .filter(([, info]) => info === kind)
    .map(([, , text = '']) => text);
}

/** In a folder of its own, since the tour writes a file. */
async function runInShell(script: string): Promise<{ code: number | null; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'paywall-tour-'));
  const shell = spawn('bash', ['-eu'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  shell.stdout.on('data', (text: Buffer) => (output += text.toString()));
  shell.stdin.end(script);
  const code = await new Promise<number | null>((done) => shell.on('close', done));
  rmSync(folder, { recursive: true });
  return { code, output };
}
