import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { declineReasons } from '../../../src/adapters/cardProviders/provider';
import { type AccessSource } from '../../../src/entitlements/entitlements';
import { type Store } from '../../../src/externalPayments/purchases/purchases.model';
import { flatten } from '../../../src/kit/locales';
import { timelineOf } from '../../../src/pages/console/sales/timeline';
import { reasonText } from '../../../src/pages/console/sales/timelineReasons';
import { locales, textsFor } from '../../../src/pages/layout/texts';
import { ownReasons } from '../../../src/subscriptions/charges/charges.model';
import { type Change, type Reminder } from '../../../workflows/messages';
import { parse } from '../../support/imports';

/** The reasons of the customer's timeline are texts in the language of the page, and never the stored codes. */

const root = path.join(__dirname, '../../..');
const [english, arabic] = [textsFor({ languages: ['en'] }), textsFor({ languages: ['ar'] })];
const general = english.t('console.timeline.reasons.general');
type Entry = Parameters<typeof reasonText>[1];

const isNamed = (node: ts.Node, name: string) => ts.isIdentifier(node) && node.text === name;

/** The texts that the files write as the property `reason`. A variable part of a template is the number of a plan. */
function writtenIn(folder: string, isIncluded: (file: string) => boolean): string[] {
  const found: string[] = [];
  const collect = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(collect);
    else if (ts.isTemplateExpression(node))
      found.push(node.head.text + node.templateSpans.map(({ literal }) => `12${literal.text}`).join(''));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && isNamed(node.name, 'reason')) collect(node.initializer);
    if (ts.isCallExpression(node) && isNamed(node.expression, 'end')) node.arguments.slice(2, 3).forEach(collect);
    ts.forEachChild(node, visit);
  };
  for (const file of readdirSync(path.join(root, folder)).filter((name) => name.endsWith('.ts') && isIncluded(name)))
    visit(parse(file, readFileSync(path.join(root, folder, file), 'utf8')));
  return found.filter((reason) => reason !== '' && !/^(declined|reminded|not restored): 12$/.test(reason));
}

const obstacles = [
  ...readFileSync(path.join(root, 'src/subscriptions/lifecycle/lifecycle.model.ts'), 'utf8').matchAll(
    /THEN '([a-z ]+)'/g,
  ),
].map(([, obstacle = '']) => `not restored: ${obstacle}`);
const reminders = { trial_ends: 0, payment_reminder: 0, access_ends: 0 } satisfies Record<Reminder, 0>;
const causes = { access_revoked: 0 } satisfies Record<NonNullable<Extract<Change, { kind: 'cancel' }>['cause']>, 0>;
const sources = {
  ...{ subscription: 0, payment: 0, voucher: 0, gift: 0 },
  ...{ grant: 0, freemium: 0, code: 0, external: 0 },
} satisfies Record<AccessSource, 0>;
const stores = { apple: 0, 'google-play': 0, amazon: 0, roku: 0 } satisfies Record<Store, 0>;

const steps = [
  ...writtenIn('src/subscriptions/lifecycle', () => true).filter((reason) => reason !== 'plan_change'),
  ...writtenIn('src/subscriptions', (file) => file === 'submissions.ts'),
  ...writtenIn('src/subscriptions/provider', (file) => file === 'providerNotifications.ts'),
  ...writtenIn('src/subscriptions/refunds', (file) => file === 'outcomes.ts' || file === 'reports.ts'),
  ...writtenIn('src/subscriptions/changes', () => true),
  ...writtenIn('workflows', (file) => file !== 'externalPayment.ts' && file !== 'refund.ts'),
  ...Object.keys(reminders).map((reminder) => `reminded: ${reminder}`),
  ...obstacles,
  ...Object.keys(causes),
  'canceled',
];
const failures = [...declineReasons, ...ownReasons, 'price_changed', 'offer_over', 'debit_returned'];

const entries: Entry[] = [
  ...steps.map((reason) => ({ kind: 'subscription' as const, type: 'subscription.changed', reason })),
  ...failures.map((reason) => ({ kind: 'payment' as const, type: 'payment.failed', reason })),
  ...failures.map((code) => ({
    kind: 'subscription' as const,
    type: 'subscription.past_due',
    reason: `declined: ${code}`,
  })),
  ...failures.map((reason) => ({ kind: 'subscription' as const, type: 'subscription.incomplete_expired', reason })),
  ...Object.keys(sources).map((reason) => ({ kind: 'access' as const, type: 'access.granted', reason })),
  ...Object.keys(stores).map((reason) => ({ kind: 'store' as const, type: 'store.active', reason })),
];

test('each reason that the code writes has a text of its own, in each language of the console', () => {
  expect(steps).toEqual(
    expect.arrayContaining(['submitted', 'first payment', 'plan 12', 'recovered', 'chargeback', 'retries exhausted']),
  );
  expect(obstacles).toHaveLength(3);
  const untold = entries.filter((entry) => reasonText(english, entry) === general).map(({ reason }) => reason);
  // `expireSubscription` stores "not paid" instead.
  expect([...new Set(untold)]).toEqual(['retries exhausted']);
  const inEnglish = entries.filter((entry) =>
    /[a-z]{3}/.test(reasonText(arabic, entry).replaceAll(/App Store|Google Play|Amazon Appstore|Roku/g, '')),
  );
  expect(inEnglish).toEqual([]);
});

test('no text for a step is left without a reason that the code writes', () => {
  const all = new Set(entries.map((entry) => reasonText(english, entry)));
  const texts = flatten(locales.en.console.timeline.reasons);
  const unused = [...texts].filter(([key, text]) => key !== 'words' && key !== 'general' && !all.has(text));
  expect(unused).toEqual([]);
});

test('an unknown reason has a general text, and the words of a person who cancels stay', () => {
  const step = { kind: 'subscription', type: 'subscription.changed' } as const;
  expect(reasonText(english, { ...step, reason: 'some_new_code' })).toBe('Other reason');
  expect(reasonText(english, { ...step, reason: '' })).toBe('');
  const canceled = { ...step, type: 'subscription.canceled' };
  expect(reasonText(english, { ...canceled, reason: 'I move {away}' })).toBe('Reason given: “I move {away}”');
  const chosen = arabic.t('portal.cancelReasons.too_expensive');
  expect(reasonText(arabic, { ...canceled, reason: 'too_expensive: 9 €' })).toContain(`«${chosen}: 9 €»`);
  expect(reasonText(arabic, { ...canceled, reason: 'too_expensive' })).toContain(`«${chosen}»`);
  expect(reasonText(english, { ...canceled, reason: 'too_expensively' })).toContain('“too_expensively”');
});

test('an amount is written in the language of the page', () => {
  const entry: Parameters<typeof timelineOf>[1][number] = {
    kind: 'payment',
    type: 'payment.paid',
    summary: 'News',
    reason: '',
    amount: '€9.99',
    amount_number: 9.99,
    currency_iso: 'EUR',
    reference: '',
    workflow_id: '',
    workflow_url: '',
    happened_at: 1_800_000_000,
  };
  const german = textsFor({ languages: ['de'] });
  expect(timelineOf(german, [entry]).toString()).toContain('· News · 9,99\u00a0€');
  expect(timelineOf(arabic, [entry]).toString()).toContain(arabic.money(9.99, 'EUR'));
  expect(timelineOf(arabic, [entry]).toString()).not.toContain('€9.99');
  const free = { ...entry, amount: '', amount_number: null, currency_iso: '' };
  expect(timelineOf(english, [free]).toString()).toContain('· News</p>');
});
