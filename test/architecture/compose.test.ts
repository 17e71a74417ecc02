import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Ajv from 'ajv/dist/2020';
import { parse } from 'yaml';
import type * as Jwt from '../../src/adapters/jwt';
import type * as Config from '../../src/config';
import { Compose, complaints } from '../support/compose';
import { layOver, parseEnvFile, readComposeFiles } from '../support/composeFiles';

const root = path.join(__dirname, '../..');
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
const tryOutFiles = ['docker-compose.yml', 'docker-compose.override.yml'];
const readCompose = (name = 'docker-compose.yml'): unknown => parse(read(name), { merge: true });

const follows = new Ajv({ strict: false, allErrors: true }).compile(
  JSON.parse(read('test/architecture/compose-spec.schema.json')) as object,
);
const surroundings = { root, knownVariables: knownVariables() };

describe('the Compose files', () => {
  test.each(tryOutFiles)('%s follows the Compose specification', (name) => {
    follows(readCompose(name));
    expect(follows.errors ?? []).toEqual([]);
  });

  test('pins its images, holds no secret, mounts what exists, and sets only what the program reads', () => {
    expect(complaints(readCompose(), surroundings)).toEqual([]);
    const tryOut = tryOutFiles.map((name) => readCompose(name)).reduce(layOver);
    expect(complaints(tryOut, surroundings)).toEqual([]);
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

  test('starts in production with a filled copy of .env.example, and not without one of its required lines', () => {
    const example = parseEnvFile(read('.env.example'));
    const empty = Object.keys(example).filter((name) => example[name] === '');
    const filled: Record<string, string> = {
      ...example,
      BASE_URL: 'https://paywall.example.org',
      SMTP_URL: 'smtps://mail.example.org',
      CARD_PROVIDER: 'none',
      BACKUP_FOLDER: '/mnt/backups',
    };
    expect(filled['COMPOSE_FILE']).toBe('docker-compose.yml');
    expect(Object.values(filled)).not.toContain('');
    startWith(filled, ({ config }) => {
      expect(config).toMatchObject({ ENVIRONMENT: 'production', MERCHANT_SIGNUP: 'closed', CARD_ATTEMPTS_MAX: 8 });
      expect(config.BASE_URL).toBe('https://paywall.example.org');
    });
    const settings = empty.filter((name) => name !== 'BACKUP_FOLDER');
    expect(settings).toEqual(['BASE_URL', 'SMTP_URL', 'CARD_PROVIDER']);
    for (const name of settings) expect(() => startWith({ ...filled, [name]: '' }, () => undefined)).toThrow(name);
  });

  test('does not start in production with the files of the try-out', () => {
    const given = { ENVIRONMENT: 'production', SMTP_URL: 'smtp://mail:1025', CARD_PROVIDER: 'none' };
    expect(() => startWith(given, () => undefined)).toThrow('SANDBOX_API_BASE');
  });

  test('passes on every setting of API and worker, and its file if it is a secret', () => {
    const { services } = Compose.parse(readCompose());
    const { Environment, secrets } = jest.requireActual<typeof Config>('../../src/config');
    const known = [...Object.keys(Environment.shape), ...secrets.map((name) => `${name}_FILE`)];
    for (const program of ['api', 'worker']) {
      const passed = Object.keys(services[program]?.environment ?? {});
      const absent = known.filter((name) => !passed.includes(name) && !(name in decidedByCompose));
      expect(absent).toEqual([]);
    }
  });

  test('fills a setting of the file .env in', () => {
    const given = { CARD_ATTEMPTS_MAX: '3', RATE_LIMIT_NORMAL: '7', STRIPE_SECRET_KEY_FILE: '/files/key' };
    const { services } = Compose.parse(readComposeFiles(['docker-compose.yml'], given));
    for (const program of ['api', 'worker']) expect(services[program]?.environment).toMatchObject(given);
  });

  test('starts no mail catcher and no sandbox in production, and backs up the database there', () => {
    const { services } = Compose.parse(readCompose());
    const started = Object.keys(services).filter((name) => services[name]?.profiles.length === 0);
    expect(started).toContain('backup');
    expect(Object.keys(services).filter((name) => !started.includes(name))).toEqual(['restore']);
    for (const name of ['mail', 'payments']) expect(services).not.toHaveProperty(name);
    const tryOut = Compose.parse(readComposeFiles(tryOutFiles)).services;
    expect(tryOut['payments']).toMatchObject({ profiles: [] });
    expect(tryOut['mail']).toMatchObject({ profiles: ['mail'] });
    expect(tryOut['backup']).toMatchObject({ profiles: ['backup'] });
  });
});

/** Compose chooses these itself, or they have no meaning in a container. The owner of the tables is for `migrate` alone. */
const decidedByCompose = {
  NODE_ENV: 'image',
  HOST: 'address of the container',
  PORT: 'published as HTTP_PORT',
  METRICS_PORT: 'inner network',
  WORKER_METRICS_PORT: 'inner network',
  WORKER_HEALTH_PORT: 'inner network',
  TLS_CERT: 'TLS ends before the proxy',
  TLS_KEY: 'TLS ends before the proxy',
  TLS_PORT: 'TLS ends before the proxy',
  MIGRATION_DATABASE_URL: 'migrate',
  MIGRATION_DATABASE_URL_FILE: 'migrate',
  WORKFLOW_BUNDLE: 'image',
  PAGE_SCRIPTS: 'image',
  TEST_ON_PUBLIC_HOST: 'test environment',
  SANDBOX_API_BASE: 'test environment',
  SANDBOX_FORM_BASE: 'test environment',
  SANDBOX_KEY: 'test environment',
};

interface Started {
  config: typeof Config.config;
  publicKeys: typeof Jwt.publicKeys;
}

/** Loads the settings as an API of the Compose files does, with these variables in the file `.env`. */
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

/** A package in package-lock.json. */
interface Locked {
  dev?: boolean;
  dependencies?: Record<string, string>;
}

describe('Dockerfile', () => {
  test('builds and runs on the Node that the tests run on', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: { node: string } };
    const images = [...read('Dockerfile').matchAll(/^FROM (node:\S+)/gm)].map(([, image]) => image);
    const { secrets } = Compose.parse(readCompose()).services;
    expect([...images, secrets?.image]).toEqual(Array(2).fill(`node:${devDependencies.node}-bookworm-slim`));
  });

  test('names no environment: whoever runs the image chooses one', () => {
    expect(read('Dockerfile')).toMatch(/^ENV .*\bHOST=0\.0\.0\.0\b/m);
    expect(read('Dockerfile')).not.toMatch(/\bENVIRONMENT=/);
  });

  test('keeps the commands that an operator runs in a container, and what they load', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    // `readme` writes files of the repository; it is the one command of this form that no operator runs.
    const needed = Object.entries(scripts).flatMap(([name, command]) =>
      name === 'readme' ? [] : (/^node dist\/scripts\/(\w+)\.js/.exec(command)?.[1] ?? []),
    );
    expect(needed).toEqual(expect.arrayContaining(['operators', 'encryptionKey', 'messages', 'merchants']));
    const kept = [...read('Dockerfile').matchAll(/! -name '?(\w+)(?:\.js|\*')/g)].map(([, name]) => name);
    expect(kept.toSorted()).toEqual([...new Set([...needed, 'paymentSimulator'])].toSorted());
    for (const name of needed)
      expect(read(`scripts/${name}.ts`).match(/from '\.\/(?!paymentSimulator)[^']*'/g)).toBeNull();
  });

  test('removes no package that a kept package needs, except the loader of workflows, which are bundled already', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
    const steps = /RUN npm ci --omit=dev[^]*?(?=\n\n)/.exec(read('Dockerfile'))?.[0] ?? '';
    const patterns = [...(/rm -r ([^&]+)/.exec(steps)?.[1] ?? '').matchAll(/node_modules\/(\S+)/g)].map(
      ([, name = '']) => new RegExp(`^${name.replaceAll('*', '.*')}(/|$)`),
    );
    const isRemoved = (name: string) => patterns.some((pattern) => pattern.test(name));
    const kept = Object.entries(packages).flatMap(([at, { dev, dependencies = {} }]) => {
      const name = at.replace('node_modules/', '');
      return dev || at === '' || isRemoved(name) ? [] : [{ name, dependencies }];
    });
    const lacking = kept.filter(({ dependencies }) => Object.keys(dependencies).some(isRemoved));
    expect(patterns).toHaveLength(2);
    expect(lacking.map(({ name }) => name)).toEqual(['@temporalio/worker']);
  });

  test('does not run as root', () => expect(read('Dockerfile')).toMatch(/^USER 1000:1000$/m));
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
  const limits = { mem_limit: '1g', logging: { options: { 'max-size': '1m' } } };
  const kept = { restart: 'always', stop_grace_period: '40s', deploy: { replicas: 2 } };
  const api = { image: 'paywall:1', build: '.', ...kept, ...limits };
  const worker = { ...api, environment: { PORT: 1 } };
  const database = { image: 'postgres:18.4', restart: 'always', healthcheck: {}, ...limits };
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
    ['database: has no limit of memory', { database: { ...database, mem_limit: undefined } }],
    ['database: has a log without a limit', { database: { ...database, logging: { options: { 'max-file': '5' } } } }],
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
  const files = given['COMPOSE_FILE'] === undefined ? tryOutFiles : given['COMPOSE_FILE'].split(':');
  const environment = Compose.parse(readComposeFiles(files, given)).services['api']?.environment ?? {};
  const inFolder = (value: string | number) => String(value).replace('/run/secrets', secretsFolder);
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, inFolder(value)]));
}
