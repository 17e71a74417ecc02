import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { simulate } from '../../support/retrySimulation';

test('the simulation recovers more than fixed times, and the document has its figures', () => {
  const [fixed, best] = [simulate('fixed'), simulate('best')];
  expect(best.recovered).toBeGreaterThan(fixed.recovered);
  expect(best.retries).toBeLessThanOrEqual(fixed.retries);
  const document = readFileSync(join(__dirname, '../../../docs/payments.md'), 'utf8');
  for (const [name, { recovered, retries }] of [
    ['Fixed times', fixed],
    ['Best times', best],
  ] as const)
    expect(document).toContain(`| ${name} | ${recovered} % | ${retries} |`);
});
