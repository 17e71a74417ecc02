import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findHaproxy, settingsHere } from '../../scripts/embedded/haproxy';

const root = path.join(__dirname, '../..');
const haproxy = findHaproxy();
const describeWithHaproxy = haproxy === undefined ? describe.skip : describe;

test('npm run cluster names the programs that are missing, and how to get them', () => {
  const program = path.join(root, 'dist/test/simulation/clusterMain.js');
  const env = { PATH: process.env['PATH'], HAPROXY: '/nowhere/haproxy', PGBOUNCER: '/nowhere/pgbouncer' };
  const { status, stderr } = spawnSync(process.execPath, [program], { cwd: root, env, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('The cluster needs haproxy and pgbouncer. On Debian: apt-get install haproxy pgbouncer.');
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
