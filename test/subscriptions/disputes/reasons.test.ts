import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { consoleLanguages, languages } from '../../../src/kit/languages';
import { mailLocales } from '../../../src/mail/words';
import { locales } from '../../../src/pages/layout/texts';

/** The reasons of a dispute in the description of Stripe's API, in the version of the package that is installed. */
function reasonsOfStripe(): string[] {
  const types = join(dirname(require.resolve('stripe')), 'resources', 'Disputes.d.ts');
  const [, list = ''] =
    /Reason given by cardholder for dispute\. Possible values are (.*?)\. /.exec(readFileSync(types, 'utf8')) ?? [];
  return [...list.matchAll(/`(\w+)`/g)].map(([, reason = '']) => reason);
}

const reasons = reasonsOfStripe();

test('the description names its reasons', () => {
  expect(reasons).toEqual(
    expect.arrayContaining(['fraudulent', 'check_returned', 'noncompliant', 'customer_initiated']),
  );
});

const wordsOf = (section: object, reason: string) => new Map<string, string>(Object.entries(section)).get(reason);

test.each(languages)('each reason has its own words in mails: %s', (language) => {
  const { disputeReasons } = mailLocales[language];
  expect(reasons.filter((reason) => !wordsOf(disputeReasons, reason))).toEqual([]);
  expect(new Set(Object.values(disputeReasons)).size).toBe(Object.keys(disputeReasons).length);
});

test.each(consoleLanguages)('each reason has its own words in the console: %s', (language) => {
  const { disputeReasons } = locales[language].console;
  expect(reasons.filter((reason) => !wordsOf(disputeReasons, reason))).toEqual([]);
  expect(new Set(Object.values(disputeReasons)).size).toBe(Object.keys(disputeReasons).length);
});
