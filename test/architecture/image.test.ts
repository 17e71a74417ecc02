import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { findFreePort } from '../../scripts/embedded/ports';
import { createTestDatabase } from '../support/database';
import { buildImage, type Image, listFiles } from '../support/dockerfile';
import { createShop, reaches, subscribe } from '../support/factories';
import { ImagePrograms } from '../support/imagePrograms';
import { until } from '../support/until';

/** The steps of the Dockerfile run in folders, and the service runs in the root folder that they make, without Docker. */

const root = path.join(__dirname, '../..');
const isPossible = process.platform === 'linux' && process.getuid?.() === 0;
const describeImage = isPossible ? describe : describe.skip;
const sizeMaxBytes = 350e6;

describeImage(isPossible ? 'the image' : 'the image: only root builds one on Linux', () => {
  let image: Image;

  beforeAll(async () => {
    image = await buildImage(root, path.join(process.env['TEST_DATA_DIR'] ?? '', 'image'));
  }, 1_500_000);

  test('takes at most 350 MB', () => {
    const files = listFiles(image.folder);
    expect(files.length).toBeGreaterThan(1000);
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect(bytes).toBeLessThanOrEqual(sizeMaxBytes);
  });

  test('has no shell, no package manager, no compiler of workflows and no file that runs with other rights', () => {
    const files = listFiles(image.folder);
    const names = new Set(files.map(({ name }) => path.basename(name)));
    for (const name of ['sh', 'bash', 'dash', 'busybox', 'apt', 'dpkg', 'npm'])
      expect([name, names.has(name)]).toEqual([name, false]);
    expect(existsSync(path.join(image.folder, 'app/node_modules/@swc/core'))).toBe(false);
    expect(files.filter(({ mode }) => (mode & 0o6000) !== 0)).toEqual([]);
  });

  test('has the certificate authorities of Node.js where Temporal’s client looks for them, and the licences of its libraries', () => {
    const certificates = readFileSync(path.join(image.folder, 'etc/ssl/certs/ca-certificates.crt'), 'utf8');
    const read = certificates.match(/-----BEGIN[^]*?-----END CERTIFICATE-----/g) ?? [];
    expect(read.map((text) => new X509Certificate(text).fingerprint256)).toEqual(
      rootCertificates.map((text) => new X509Certificate(text).fingerprint256),
    );
    const licences = listFiles(path.join(image.folder, 'usr/share/doc')).map(({ name }) => path.basename(name));
    expect(licences).toEqual(['copyright', 'copyright']);
  });

  test('migrates the database and sells a subscription, as a user without rights on files that it cannot write', async () => {
    const database = await createTestDatabase(process.env['DATABASE_URL'], 'template0');
    const programs = new ImagePrograms(image);
    try {
      await programs.toEnd('dist/src/migrate.js', { MIGRATION_DATABASE_URL: database.url });
      const [port, metrics, health, workerMetrics] = await Promise.all([1, 2, 3, 4].map(findFreePort));
      programs.start('dist/src/main.js', { PORT: String(port), METRICS_PORT: String(metrics) });
      programs.start('dist/workers/main.js', {
        WORKER_HEALTH_PORT: String(health),
        WORKER_METRICS_PORT: String(workerMetrics),
      });
      const app = { address: `http://127.0.0.1:${port}` };
      await programs.whileRunning(until(() => isReady(app.address)));
      const shop = await createShop(app);
      const { body } = await subscribe(app, shop);
      await programs.whileRunning(reaches(app, shop.consumer, body.subscription_id, 'active'));
    } finally {
      await programs.stop();
      await database.drop();
    }
  }, 120_000);
});

const isReady = (address: string) =>
  fetch(`${address}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
