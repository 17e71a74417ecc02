import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Ajv from 'ajv/dist/2020';
import { parse } from 'yaml';
import type * as Jwt from '../../src/adapters/jwt';
import type * as Config from '../../src/config';
import { Compose, complaints } from '../support/compose';

const root = path.join(__dirname, '../..');
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
const readCompose = (): unknown => parse(read('docker-compose.yml'), { merge: true });

const follows = new Ajv({ strict: false, allErrors: true }).compile(
  JSON.parse(read('test/architecture/compose-spec.schema.json')) as object,
);
const surroundings = { root, knownVariables: knownVariables() };

describe('docker-compose.yml', () => {
  test('follows the Compose specification', () => {
    follows(readCompose());
    expect(follows.errors ?? []).toEqual([]);
  });

  test('pins its images, holds no secret, mounts what exists, and sets only what the program reads', () => {
    expect(complaints(readCompose(), surroundings)).toEqual([]);
  });

  test('runs two replicas of the API behind the one port that is for everyone', () => {
    expect(Compose.parse(readCompose()).services['api']?.deploy.replicas).toBe(2);
    expect(read('deploy/haproxy.cfg')).toMatch(/server-template \w+ \d+ api:8080 /);
  });

  test('lets only the migration know the owner of the tables', () => {
    const { services } = Compose.parse(readCompose());
    const knowing = Object.entries(services).filter(([, { volumes }]) =>
      JSON.stringify(volumes).includes('owner-secrets'),
    );
    expect(knowing.map(([name]) => name).sort()).toEqual(['migrate', 'secrets']);
    expect(services['api']?.environment).not.toHaveProperty('MIGRATION_DATABASE_URL_FILE');
  });

  test('gives the API an environment and secrets that it starts with', () => {
    startWith({}, ({ config, publicKeys }) => {
      expect(config.BASE_URL).toBe('http://localhost:8080');
      expect(config.DATABASE_URL).toMatch(/^postgres:\/\/paywall_app:[\w-]{32}@postgres:5432\/paywall$/);
      expect(publicKeys()).toEqual([expect.objectContaining({ crv: 'P-256', alg: 'ES256' })]);
    });
  });

  test('starts in production with the settings that its first lines name, and not without one of them', () => {
    const named = {
      ENVIRONMENT: 'production',
      BASE_URL: 'https://paywall.example.org',
      CARD_PROVIDER: 'none',
      SANDBOX_API_BASE: '',
    };
    const head = read('docker-compose.yml').split('\nname:')[0] ?? '';
    for (const name of Object.keys(named)) expect(head).toContain(name);
    startWith(named, ({ config }) => expect(config.ENVIRONMENT).toBe('production'));
    const others = { ENVIRONMENT: named.ENVIRONMENT, BASE_URL: named.BASE_URL, CARD_PROVIDER: named.CARD_PROVIDER };
    expect(() => startWith(others, () => undefined)).toThrow('SANDBOX_API_BASE');
  });
});

interface Started {
  config: typeof Config.config;
  publicKeys: typeof Jwt.publicKeys;
}

/** Loads the settings as an API of the compose file does, with these variables in the file `.env`. */
function startWith(given: Record<string, string>, check: (started: Started) => void): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'compose-'));
  const before = process.env;
  try {
    for (const name of ['postgres', 'temporal', 'owner', 'app']) mkdirSync(path.join(folder, name));
    const made = [1, 2].map(() => spawnSync(process.execPath, [path.join(root, 'deploy/secrets.mjs'), folder]));
    expect(made.map(({ status }) => status)).toEqual([0, 0]);
    expect(made.map(({ stdout }) => stdout.toString().split('\n').length - 1)).toEqual([10, 0]);
    process.env = apiEnvironment(folder, given);
    jest.isolateModules(() => {
      const { config } = jest.requireActual<typeof Config>('../../src/config');
      const { publicKeys } = jest.requireActual<typeof Jwt>('../../src/adapters/jwt');
      check({ config, publicKeys });
    });
  } finally {
    process.env = before;
    rmSync(folder, { recursive: true });
  }
}

describe('Dockerfile', () => {
  test('builds and runs on the Node that the tests run on', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: { node: string } };
    const images = [...read('Dockerfile').matchAll(/^FROM (node:\S+)/gm)].map(([, image]) => image);
    expect(images.length).toBeGreaterThan(0);
    expect(new Set(images)).toEqual(new Set([`node:${devDependencies.node}-bookworm-slim`]));
  });

  test('names no environment: whoever runs the image chooses one', () => {
    expect(read('Dockerfile')).toMatch(/^ENV .*\bHOST=0\.0\.0\.0\b/m);
    expect(read('Dockerfile')).not.toMatch(/\bENVIRONMENT=/);
  });

  test('does not run as root', () => expect(read('Dockerfile')).toMatch(/^USER node$/m));
});

describe('the checks report', () => {
  test.each([
    ['an unknown key', { services: { api: { image: 'a:1', replica: 2 } } }],
    ['a port that is no port', { services: { api: { image: 'a:1', ports: [{ target: true }] } } }],
    ['a condition that does not exist', { services: { a: { image: 'a:1', depends_on: { b: { condition: 'up' } } } } }],
    ['a command with a mapping in it', { services: { a: { image: 'a:1', command: [{ a: 1 }] } } }],
    ['services as a list', { services: [] }],
  ])('against the specification: %s', (_what, document) => expect(follows(document)).toBe(false));

  const volumes = { database: null };
  const api = { image: 'paywall:1', build: '.', restart: 'always', stop_grace_period: '40s', deploy: { replicas: 2 } };
  const worker = { ...api, environment: { PORT: 1 } };
  const database = { image: 'postgres:18.4', restart: 'always', healthcheck: {} };
  const services = { api, worker, database };

  test('nothing of a small sound file', () => {
    expect(complaints({ volumes, services }, surroundings)).toEqual([]);
  });

  test.each([
    ['database: image postgres is not pinned', { database: { ...database, image: 'postgres' } }],
    ['database: image postgres:latest is not pinned', { database: { ...database, image: 'postgres:latest' } }],
    ['database: image r:5000/postgres is not pinned', { database: { ...database, image: 'r:5000/postgres' } }],
    ['database: image postgres:${TAG} is not pinned', { database: { ...database, image: 'postgres:${TAG}' } }],
    [
      'database: POSTGRES_PASSWORD is a secret in the file',
      { database: { ...database, environment: { POSTGRES_PASSWORD: 'x' } } },
    ],
    ['database: S is a secret in the file', { database: { ...database, environment: { S: 'smtp://me:pass@host' } } }],
    ['api: JWT_KEYS is a secret in the file', { api: { ...api, environment: { JWT_KEYS: '${JWT_KEYS:-[]}' } } }],
    ['api: TYPO is no variable that the program reads', { api: { ...api, environment: { TYPO: 'x' } } }],
    ['api: runs once: nobody takes over when it dies', { api: { ...api, deploy: { replicas: 1 } } }],
    ['api: is killed after 10 s, before it has drained', { api: { ...api, stop_grace_period: '10s' } }],
    [
      'database: mounts ./deploy/gone, which is not there',
      { database: { ...database, volumes: ['./deploy/gone:/x:ro'] } },
    ],
    ['database: mounts the undeclared volume other', { database: { ...database, volumes: ['other:/x'] } }],
    [
      'api: waits for gone, which is not there',
      { api: { ...api, depends_on: { gone: { condition: 'service_healthy' } } } },
    ],
    [
      'api: waits for database with service_started instead of service_healthy',
      { api: { ...api, depends_on: { database: { condition: 'service_started' } } } },
    ],
    ['database: has no health check', { database: { ...database, healthcheck: undefined } }],
    ['database: has no restart policy', { database: { ...database, restart: undefined } }],
  ])('%s', (complaint, changed) => {
    expect(complaints({ volumes, services: { ...services, ...changed } }, surroundings)).toEqual([complaint]);
  });

  test('a program that is missing', () => {
    expect(complaints({ volumes, services: { api } }, surroundings)).toEqual(['worker: is missing']);
  });
});

function knownVariables(): Set<string> {
  const { Environment, secrets } = jest.requireActual<typeof Config>('../../src/config');
  return new Set([...Object.keys(Environment.shape), ...secrets.map((name) => `${name}_FILE`)]);
}

function apiEnvironment(secretsFolder: string, given: Record<string, string>): Record<string, string> {
  const environment = Compose.parse(readCompose()).services['api']?.environment ?? {};
  const valueOf = (_text: string, name: string, ifEmpty: string, usual: string) =>
    given[name] === undefined || (given[name] === '' && ifEmpty === ':') ? usual : given[name];
  // Twice: a default may hold another variable.
  const innermost = (value: string) => value.replace(/\$\{(\w+)(:?)-([^${}]*)\}/g, valueOf);
  const filled = (value: string | number) => innermost(innermost(String(value)));
  const inFolder = (value: string) => value.replace('/run/secrets', secretsFolder);
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, inFolder(filled(value))]));
}
