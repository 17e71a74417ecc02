import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findHaproxy, settingsHere } from '../../scripts/embedded/haproxy';
import { temporalServerVersion } from '../../scripts/embedded/temporalServerPrograms';
import { temporalOf } from './clusterPrograms';

const root = path.join(__dirname, '../..');
const haproxy = findHaproxy();
const describeWithHaproxy = haproxy === undefined ? describe.skip : describe;

test('npm run cluster names the programs that are missing, and how to get them', () => {
  const program = path.join(root, 'dist/test/simulation/clusterMain.js');
  const env = { PATH: process.env['PATH'], HAPROXY: '/nowhere/haproxy', PGBOUNCER: '/nowhere/pgbouncer' };
  const withoutGo = { ...env, GO: '/nowhere/go', XDG_CACHE_HOME: '/nowhere' };
  const run = (own: NodeJS.ProcessEnv, ...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], { cwd: root, env: own, encoding: 'utf8' });
  const { status, stderr } = run(withoutGo);
  expect(status).toBe(1);
  expect(stderr).toContain('The cluster needs haproxy and pgbouncer. On Debian: apt-get install haproxy pgbouncer.');
  expect(stderr).toContain('Go 1.21 or newer builds it once: install Go, or set GO to its path.');
  expect(stderr).toContain('With --temporal development, the cluster uses the server of `npm start`');

  // The development server needs no Go.
  expect(run(withoutGo, '--temporal', 'development').stderr).not.toContain('Go 1.21');
  // A program that is named is not built.
  const named = { ...withoutGo, TEMPORAL_SERVER: process.execPath, TEMPORAL_SQL_TOOL: process.execPath };
  expect(run(named).stderr).not.toContain('Go 1.21');
  expect(run({ ...named, TEMPORAL_SQL_TOOL: '/nowhere/tool' }).stderr).toContain('Go 1.21');
});

test('--temporal refuses another word', () => {
  expect(() => temporalOf('cloud')).toThrow('--temporal must be server or development, and is cloud.');
});

test('the cluster runs the release of Temporal that docker-compose.yml has', () => {
  const compose = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');
  expect(/temporalio\/server:(\S+)/.exec(compose)?.[1]).toBe(temporalServerVersion);
});

describeWithHaproxy('HAProxy (skipped where no HAProxy is found)', () => {
  test('accepts deploy/haproxy.cfg with the addresses of this machine', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'paywall-haproxy-'));
    try {
      const settings = readFileSync(path.join(root, 'deploy/haproxy.cfg'), 'utf8');
      const changed = settingsHere({ settings, port: 20_001, apis: [20_002, 20_003], dataFolder: folder });
      expect(changed).toContain('server api-2 127.0.0.1:20003');
      expect(changed).not.toContain('resolvers');
      const file = path.join(folder, 'haproxy.cfg');
      writeFileSync(file, changed);
      const { stderr, stdout } = spawnSync(haproxy ?? '', ['-c', '-f', file], { encoding: 'utf8' });
      expect(stdout + stderr).toContain('Configuration file is valid');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
