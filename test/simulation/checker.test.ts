import {
  answeredAgain,
  answeredBefore,
  first,
  inBooks,
  unheard,
  violationsAfter,
  withoutHeard,
  type Change,
} from './changes';
import { findViolations } from './checker';
import { createExample, recorded } from './example';

test('a sound run has no violations', () => expect(violationsAfter(() => undefined)).toEqual([]));

test.each<[string, Change]>([
  ['a request without an answer may have had its effect', unheard(2)],
  [
    'a request without an answer may have had no effect',
    (example) => {
      unheard(5)(example);
      example.books.clocks = [];
    },
  ],
  ['a request is still running', answeredAgain(2, { status: 409, body: { error: 'request_in_progress' } })],
  ['a repeated request is answered 503', answeredAgain(2, { status: 503, body: {} })],
  ['a repeated request does not arrive in full', answeredAgain(2, { status: 408, body: {} })],
  ['a repeated request is answered alike', answeredAgain(2, {})],
  ['a refused request is decided again', answeredBefore(2, { status: 404, body: { error: 'voucher_not_found' } })],
  [
    'a canceled subscription keeps its paid period',
    inBooks(({ subscriptions }) => first(subscriptions, { state: 'canceled' })),
  ],
  [
    'the charge of an interrupted plan change is told as a refund only',
    inBooks(({ charges, providerCharges }) => {
      const movement = { key: 'S-1:2:1', reference: 'ch_3', amountMinor: 500 };
      charges.push({ ...movement, subject: 'S-1', cycle: 2, status: 'paid', isInterrupted: true });
      providerCharges.push(movement);
    }),
  ],
  ['a voucher is used up to its limit', inBooks(({ vouchers }) => first(vouchers, { usageLimit: 1 }))],
])('no violation: %s', (_, change) => expect(violationsAfter(change)).toEqual([]));

test.each<[string, Change]>([
  // One effect per key.
  [
    'one effect per key: operation 2: the key key-2 was answered with 200 C-1 and 200 C-2',
    (example) => {
      answeredAgain(2, { body: { transaction: 'C-2' } })(example);
      const [payment] = example.books.payments;
      if (payment) example.books.payments.push({ ...payment, token: 'C-2', state: 'failed', accesses: 0 });
    },
  ],
  [
    'one effect per key: operation 1: the key key-1 was answered with 202 S-1 and 409',
    answeredAgain(1, { status: 409, body: { error: 'already_has_access' } }),
  ],
  [
    'one effect per key: consumer 1 has S-2, which no answer names, and 0 requests without an answer',
    inBooks(({ subscriptions: [one], subscriptions }) => {
      if (one) subscriptions.push({ ...one, token: 'S-2', state: 'expired', openAccesses: 0 });
    }),
  ],
  [
    'one effect per key: consumer 1 has C-2, which no answer names, and 0 requests without an answer',
    inBooks(({ payments: [one], payments }) => {
      if (one) payments.push({ ...one, token: 'C-2', state: 'failed', accesses: 0 });
    }),
  ],
  // Accepted requests.
  [
    'accepted requests: S-1 was accepted, and does not exist',
    inBooks((books) => Object.assign(books, { subscriptions: [] })),
  ],
  [
    'accepted requests: S-1 was accepted, and is not decided',
    inBooks(({ subscriptions }) => first(subscriptions, { state: 'incomplete' })),
  ],
  [
    'accepted requests: S-1 was canceled, and renews',
    inBooks(({ subscriptions }) => first(subscriptions, { isRenewing: true })),
  ],
  [
    'accepted requests: C-1: 1 to 1 refunds were accepted, 2 exist',
    inBooks((books) => {
      books.refunds.push({ key: 'R-2', reference: 're_2', amountMinor: 1, subject: 'C-1', state: 'refunded' });
      books.providerRefunds.push({ key: 'R-2', reference: 're_2', amountMinor: 1 });
    }),
  ],
  [
    'accepted requests: C-1: 1 to 1 refunds were accepted, 0 exist',
    inBooks((books) => Object.assign(books, { refunds: [], providerRefunds: [] })),
  ],
  [
    'accepted requests: C-1: the refund R-1 is not decided',
    inBooks((books) => {
      first(books.refunds, { state: 'open' });
      books.providerRefunds = [];
    }),
  ],
  [
    'accepted requests: merchant 1 moved its clock by 2 to 2 days, and it is 4 ahead',
    inBooks(({ clocks }) => first(clocks, { aheadSeconds: 4 * 86_400 })),
  ],
  // Money.
  [
    'money: the provider has the charge S-1:1 ch_3 999, and our books do not',
    inBooks(({ providerCharges }) => providerCharges.push({ key: 'S-1:1', reference: 'ch_3', amountMinor: 999 })),
  ],
  [
    'money: our books have the charge C-1 ch_2 450, and the provider does not',
    inBooks(({ providerCharges }) => providerCharges.pop()),
  ],
  [
    'money: the provider has the refund R-2 re_2 1, and our books do not',
    inBooks(({ providerRefunds }) => providerRefunds.push({ key: 'R-2', reference: 're_2', amountMinor: 1 })),
  ],
  [
    'money: S-1 cycle 1 was charged 2 times',
    inBooks((books) => {
      const again = { key: 'S-1:1:2', reference: 'ch_3', amountMinor: 999 };
      books.providerCharges.push(again);
      books.charges.push({ ...again, subject: 'S-1', cycle: 1, status: 'paid' });
    }),
  ],
  [
    'money: the journal differs: tax_payable EUR: 0, not -72',
    inBooks(({ journal }) => journal.push('tax_payable EUR: 0, not -72')),
  ],
  [
    'money: the charge C-1 450 was told to nobody',
    inBooks(({ events }) => Object.assign(events[1] ?? {}, { type: 'x' })),
  ],
  [
    'money: the charge C-1 500 was told, and does not exist',
    inBooks(({ events }) => Object.assign(events[1] ?? {}, { amountMinor: 500 })),
  ],
  // Access.
  [
    'access: S-1 is active and has 0 accesses',
    inBooks(({ subscriptions }) => first(subscriptions, { openAccesses: 0 })),
  ],
  ['access: S-1 is expired and has access', inBooks(({ subscriptions }) => first(subscriptions, { state: 'expired' }))],
  [
    'access: S-1 has access without a payment',
    inBooks((books) => {
      books.charges.shift();
      books.providerCharges.shift();
      first(books.events, { amountMinor: 0 });
    }),
  ],
  ['access: C-1 is paid and has given 0 accesses', inBooks(({ payments }) => first(payments, { accesses: 0 }))],
  ['access: C-1 is failed and has given 1 accesses', inBooks(({ payments }) => first(payments, { state: 'failed' }))],
  [
    'access: C-1 is paid without a charge',
    inBooks((books) => {
      books.charges.pop();
      books.providerCharges.pop();
      Object.assign(books.events[1] ?? {}, { amountMinor: 0 });
    }),
  ],
  // Events.
  ['events: consumer 1 did not hear event 2 (payment.card.success)', withoutHeard('consumer 1', 2)],
  [
    'events: consumer 1 heard event 1 after 2',
    (example) =>
      example.entries.push({ kind: 'heard', actor: 'consumer 1', id: 1, type: 'subscribe.success', subject: 'S-1' }),
  ],
  [
    'events: consumer 1 heard event 2 after 2',
    (example) =>
      example.entries.push({ kind: 'heard', actor: 'consumer 1', id: 2, type: 'payment.card.success', subject: 'C-1' }),
  ],
  [
    'events: consumer 1 heard event 3 (access.granted), which is not its own',
    (example) => {
      const [event] = example.books.events;
      if (event) example.books.events.push({ ...event, sequence: 3, type: 'access.granted', accountUuid: 'other' });
      for (const actor of ['consumer 1', 'merchant 1'])
        example.entries.push({ kind: 'heard', actor, id: 3, type: 'access.granted' });
    },
  ],
  [
    'events: the events of merchant m have no number 1',
    (example) => {
      example.books.events.shift();
      for (const actor of ['consumer 1', 'merchant 1']) withoutHeard(actor, 1)(example);
      example.books.charges.shift();
      example.books.providerCharges.shift();
      first(example.books.subscriptions, { state: 'canceled', openAccesses: 0 });
    },
  ],
  // Limits.
  [
    'limits: the voucher SPRING has a limit of 2, and 3 uses',
    inBooks(({ vouchers }) => first(vouchers, { usageCounter: 3, usedBy: ['S-1', 'S-2', 'S-3'] })),
  ],
  [
    'limits: the voucher SPRING counts 2 uses, and has 1',
    inBooks(({ vouchers }) => first(vouchers, { usageCounter: 2 })),
  ],
  [
    'limits: the voucher GIFT has a limit of 1, and 2 uses',
    inBooks(({ vouchers }) => Object.assign(vouchers[1] ?? {}, { usageCounter: 2, usedBy: ['C-1', 'C-2'] })),
  ],
  // Settled.
  [
    'settled: the outbox still has a start of subscription-S-1',
    inBooks(({ unsent }) => unsent.push('a start of subscription-S-1')),
  ],
  [
    'settled: the webhooks wait for event 2 of webhook 1',
    inBooks(({ undelivered }) => undelivered.push('event 2 of webhook 1')),
  ],
  ['settled: S-1 is overdue', inBooks(({ due }) => due.push('S-1'))],
  [
    'settled: the charge S-1:2 is open',
    inBooks(({ charges }) =>
      charges.push({ key: 'S-1:2', reference: null, amountMinor: 999, subject: 'S-1', cycle: 2, status: 'open' }),
    ),
  ],
])('%s', (violation, change) => expect(violationsAfter(change)).toContain(violation));

test('a violation names the lines of the history that prove it', () => {
  const example = createExample();
  answeredAgain(2, { body: { transaction: 'C-2' } })(example);
  const history = recorded(example.entries);
  const [found] = findViolations(history, example.books);
  const kinds = found?.lines.map((line) => history[line - 1]?.kind);
  expect(kinds).toEqual(['sent', 'answered', 'answered']);
});
