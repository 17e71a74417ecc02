import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { call } from '../support/client';
import { createTaxedShop, issued } from '../support/invoices';
import { paid, refund, refunded } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

/** The documents of businesses are PDF/A-3b by veraPDF, the validator of the PDF Association. It needs a JDK and Maven. */

const folder = mkdtempSync(join(tmpdir(), 'paywall-verapdf-'));
const sources = resolve('test/support/verapdf');

/** The jar files of veraPDF, which Maven keeps in its cache. Undefined without a JDK, without Maven, or without the files. */
function findClassPath(): string | undefined {
  if (spawnSync('javac', ['-version']).status !== 0) return undefined;
  const file = join(folder, 'classpath');
  const goal = ['dependency:build-classpath', `-Dmdep.outputFile=${file}`, '-f', join(sources, 'pom.xml')];
  for (const mode of [['-o'], []])
    if (spawnSync('mvn', ['-B', '-q', ...mode, ...goal], { timeout: 120_000 }).status === 0)
      return readFileSync(file, 'utf8').trim();
  return undefined;
}

const classPath = findClassPath();
const withVeraPdf = classPath === undefined ? describe.skip : describe;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

withVeraPdf(`documents by veraPDF${classPath === undefined ? ' (skipped: no veraPDF is found)' : ''}`, () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp();
    await app.startWorker();
  });
  afterAll(() => app.stop());

  /** The faults of files, and `valid` or `invalid` as the last line. */
  const validate = (...files: string[]): string[] => {
    const java = ['-cp', classPath ?? '', join(sources, 'Validate.java'), ...files];
    const { stdout, stderr, status } = spawnSync('java', java, { encoding: 'utf8' });
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    return stdout.trim().split('\n');
  };

  async function documentsOfBusiness(): Promise<string[]> {
    const shop = await createTaxedShop(app);
    const address = {
      name: 'Müller & Söhne',
      address_line: 'Ring 1',
      postal_code: '1010',
      city: 'Wien',
      country: 'AT',
    };
    const business = { ...address, tax_number: 'ATU12345675' };
    expect((await call(app, 'PUT', '/v2/accounts/billing-details', business, shop.consumer)).status).toBe(200);
    const token = await paid(app, shop);
    await refund(app, shop.merchant, token, { amount: '1.25' });
    await refunded(app, token);
    const files: string[] = [];
    for (const { number } of await issued(app, shop.merchant)) {
      const headers = { Authorization: `Bearer ${shop.consumer.token}` };
      const answer = await fetch(`${app.address}/invoices/${number}/document`, { headers });
      files.push(join(folder, `${number}.pdf`));
      writeFileSync(files.at(-1) ?? '', Buffer.from(await answer.arrayBuffer()));
    }
    return files;
  }

  test('the invoice and the credit note of a business keep the rules of PDF/A-3b, and a spoiled one does not', async () => {
    const files = await documentsOfBusiness();
    expect(files).toHaveLength(2);
    expect(validate(...files)).toEqual(['valid']);
    const spoiled = join(folder, 'spoiled.pdf');
    const bytes = readFileSync(files[0] ?? '', 'latin1');
    writeFileSync(spoiled, bytes.replace('/OutputIntents', '/OutputIntentz'), 'latin1');
    expect(validate(spoiled).at(-1)).toBe('invalid');
  });
});
