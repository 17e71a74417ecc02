import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type * as Config from '../../src/config';

const root = path.join(__dirname, '../..');
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
const files = ['paywall.yaml', 'everything.yaml'];
const hasHelm = spawnSync('helm', ['version']).status === 0;

const Named = z.object({ name: z.string() }).loose();
const Port = z.union([z.string(), z.number()]);
const Probe = z.object({ httpGet: z.object({ path: z.string(), port: Port }) });
const Container = z.object({
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: Probe.optional(),
  livenessProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  securityContext: z.object({ readOnlyRootFilesystem: z.literal(true), allowPrivilegeEscalation: z.literal(false) }),
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
});
const Pod = z.object({
  containers: z.array(Container).length(1),
  securityContext: z.object({ runAsNonRoot: z.literal(true) }),
  automountServiceAccountToken: z.literal(false),
  terminationGracePeriodSeconds: z.number().default(30),
  volumes: z.array(z.object({ name: z.string(), secret: z.object({ secretName: z.string() }).optional() })),
});
const Workload = z.object({ metadata: Named, spec: z.object({ template: z.object({ spec: Pod }) }) });
const Manifest = z.object({ apiVersion: z.string(), kind: z.string(), metadata: Named }).loose();

const manifestsOf = (name: string) =>
  parseAllDocuments(read(`deploy/kubernetes/${name}`)).map((document) => Manifest.parse(document.toJS()));
const ofKind = (name: string, kind: string) => manifestsOf(name).filter((one) => one.kind === kind);
const deployments = (name: string) => ofKind(name, 'Deployment').map((one) => Workload.parse(one));
const containerOf = ({ spec }: z.output<typeof Workload>) => Container.parse(spec.template.spec.containers[0]);

/** What the schemas of Kubernetes say against the manifests. */
function complaints(manifests: unknown[]): unknown {
  const program = path.join(root, 'test/support/validateManifests.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, [program], { input: JSON.stringify(manifests) });
  if (stdout.length === 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

describe.each(files)('deploy/kubernetes/%s', (name) => {
  test('is rendered from the chart as it is (`npm run manifests`)', () => {
    const chart = path.join(root, 'deploy/helm');
    const templates = readdirSync(path.join(chart, 'templates')).sort();
    const hash = createHash('sha256');
    for (const part of ['Chart.yaml', 'values.yaml', 'everything.values.yaml'])
      hash.update(read(`deploy/helm/${part}`));
    for (const part of templates) hash.update(read(`deploy/helm/templates/${part}`));
    expect(read(`deploy/kubernetes/${name}`)).toContain(`Chart: ${hash.digest('hex')}\n`);
  });

  test('follows the schemas of Kubernetes', () => expect(complaints(manifestsOf(name))).toEqual([]));

  test('has one workload for the API and for each queue, with no rights and a limit of memory', () => {
    expect(deployments(name).map(({ metadata }) => metadata.name)).toEqual(
      ['api', 'worker-background', 'worker-interactive', 'worker-webhooks'].map((program) => `paywall-${program}`),
    );
    expect(ofKind(name, 'PodDisruptionBudget')).toHaveLength(4);
  });

  test('asks only what the service answers: probes of existing paths and ports', () => {
    for (const deployment of deployments(name)) {
      const { ports, startupProbe, livenessProbe, readinessProbe } = containerOf(deployment);
      const probes = [startupProbe, livenessProbe, readinessProbe].filter((probe) => probe !== undefined);
      const isApi = deployment.metadata.name === 'paywall-api';
      expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/health/live', '/health/live', '/health/ready']);
      expect(new Set(probes.map(({ httpGet }) => httpGet.port))).toEqual(new Set([isApi ? 'http' : 'health']));
      for (const { httpGet } of probes) expect(ports.map((port) => port.name)).toContain(httpGet.port);
    }
    for (const program of ['src/health/health.endpoints.ts', 'workers/health.ts'])
      expect(read(program)).toMatch(/'\/health\/live'[^]*'\/health\/ready'/);
  });

  test('gives every pod the time to finish what it does', () => {
    const graces = deployments(name).map(({ spec }) => spec.template.spec.terminationGracePeriodSeconds);
    expect(Math.min(...graces)).toBeGreaterThanOrEqual(35);
  });

  test('sets only what the program reads, and every queue has its workers', () => {
    const { Environment, secrets } = jest.requireActual<typeof Config>('../../src/config');
    const known = new Set([...Object.keys(Environment.shape), ...secrets.map((secret) => `${secret}_FILE`)]);
    const settings = ofKind(name, 'ConfigMap').flatMap(({ data }) =>
      Object.keys(z.record(z.string(), z.string()).parse(data)),
    );
    const given = deployments(name).flatMap((one) => containerOf(one).env);
    expect([...settings, ...given.map((one) => one.name)].filter((one) => !known.has(one))).toEqual([]);
    const queues = given.filter((one) => one.name === 'WORKER_QUEUES').map(({ value }) => value);
    const everyQueue = Environment.shape.WORKER_QUEUES.parse(undefined);
    expect(queues.toSorted()).toEqual(everyQueue.toSorted());
  });

  test('holds no secret, and only the migration sees the owner of the tables', () => {
    const text = read(`deploy/kubernetes/${name}`);
    expect(ofKind(name, 'Secret')).toEqual([]);
    expect(text).not.toMatch(/:\/\/[^/\s]*:[^/\s]*@/);
    const jobs = ofKind(name, 'Job').map((one) => Workload.parse(one));
    const seen = [...deployments(name), ...jobs].filter(({ spec }) =>
      spec.template.spec.volumes.some(({ secret }) => secret?.secretName === 'paywall-owner'),
    );
    expect(seen.map(({ metadata }) => metadata.name)).toEqual([
      expect.stringMatching(/^paywall-migrate-[0-9a-f]{10}$/),
    ]);
  });
});

test('with a metric of the cluster, workers also grow with the tasks that wait in their queue', () => {
  const scaled = JSON.stringify(ofKind('everything.yaml', 'HorizontalPodAutoscaler'));
  const queues = [...scaled.matchAll(/"taskqueue":"([^"]+)"/g)].map(([, queue]) => queue);
  expect(queues).toEqual(['shop-background', 'shop', 'shop-webhooks']);
  expect(JSON.stringify(ofKind('paywall.yaml', 'HorizontalPodAutoscaler'))).not.toContain('External');
});

test('pods reach a further private part that the values name, and no other', () => {
  const portsIn = (name: string) =>
    [...JSON.stringify(ofKind(name, 'NetworkPolicy')).matchAll(/"port":(\d+)/g)].map(([, port]) => port);
  expect(portsIn('everything.yaml')).toContain('4318');
  expect(portsIn('paywall.yaml')).not.toContain('4318');
});

test('the schemas find a missing field, a wrong type and an unknown kind', () => {
  const metadata = { name: 'x' };
  const wrong = [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { selector: {} } },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 'http' }] } },
    { apiVersion: 'apps/v1', kind: 'Deploiment', metadata },
  ];
  expect(complaints(wrong)).toEqual([
    expect.stringContaining("required property 'template'".replaceAll("'", '')),
    expect.stringContaining('ports/0/port'),
    'Deploiment x: is of no known kind',
  ]);
});

const whereHelmIs = hasHelm ? test : test.skip;
whereHelmIs(`the chart renders to the same manifests${hasHelm ? '' : ' (skipped: no helm is found)'}`, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'manifests-'));
  try {
    expect(
      spawnSync('sh', [path.join(root, 'deploy/helm/render.sh'), folder], { env: { ...process.env, LC_ALL: 'C' } })
        .status,
    ).toBe(0);
    for (const name of files)
      expect(readFileSync(path.join(folder, name), 'utf8')).toBe(read(`deploy/kubernetes/${name}`));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
