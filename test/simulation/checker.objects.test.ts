import { again, first, inBooks, unheard, violationsAfter, type Change } from './changes';
import { type Example } from './example';
import { type Entry } from './history';

/** Another request at the end of the example, with its answer. */
const asked =
  (what: string, fields: object, answer: { status?: number; body?: object } = {}): Change =>
  ({ entries }) => {
    const attempt = { actor: 'consumer 1', operation: 50 + entries.length, attempt: 1 };
    entries.push({ kind: 'sent', ...attempt, what, method: 'POST', path: `/${what}`, fields } as Entry, {
      kind: 'answered',
      ...attempt,
      status: 200,
      body: {},
      ...answer,
    });
  };

const all =
  (...changes: Change[]): Change =>
  (example: Example) =>
    changes.forEach((change) => change(example));

const inUse = { status: 409, body: { error: 'access_code_in_use' } };
const erased = inBooks(({ accounts, mails }) => {
  first(accounts, { isErased: true, personalRows: 0, openAccesses: 0, exportMails: 0, adjustedMinor: 0 });
  for (const mail of mails) mail.written = 0;
});
const notFound = { status: 404, body: { error: 'voucher_not_found' } };

test.each<[string, Change]>([
  ['a device that has a place enters again', asked('enter', { code: 'CODE', device: 'A' })],
  ['another device is refused', asked('enter', { code: 'CODE', device: 'B' }, inUse)],
  ['an unanswered change of the balance has its effect', unheard(7)],
  ['an unanswered export is done', unheard(9)],
  [
    'an account is erased, and its sign-in refused',
    all(erased, asked('erase', {}), asked('sign in', {}, { status: 401 })),
  ],
  [
    'somebody else presents the purchase and is refused',
    all(
      asked('present', { purchase: 'P' }, { status: 202, body: { external_payment_id: 'X-2' } }),
      inBooks(({ claims }) => again(claims, 0, { token: 'X-2', accountUuid: 'd', state: 'failed' })),
    ),
  ],
  [
    'somebody else presents the purchase after the account of the first is erased',
    all(
      erased,
      asked('erase', {}),
      asked('present', { purchase: 'P' }, { status: 202, body: { external_payment_id: 'X-2' } }),
      inBooks(({ claims }) => again(claims, 0, { token: 'X-2', accountUuid: 'd' })),
    ),
  ],
  ['a gift is refused, for another reason', asked('redeem', { voucher_code: 'ABC' }, notFound)],
])('no violation: %s', (_, change) => expect(violationsAfter(change)).toEqual([]));

const noOrder = 'one order: no order of the requests explains the answers about';

test.each<[string, Change]>([
  // Vouchers, access codes and balances.
  [`${noOrder} the uses of SPRING`, asked('pay', { voucher_code: 'SPRING' }, notFound)],
  [`${noOrder} the uses of SPRING`, inBooks(({ vouchers }) => first(vouchers, { usageCounter: 2 }))],
  [
    `${noOrder} the uses of ABC`,
    all(
      ...['C-2', 'C-3'].map((transaction) => asked('redeem', { voucher_code: 'ABC' }, { body: { transaction } })),
      inBooks(({ vouchers }) => Object.assign(vouchers[1] ?? {}, { usedBy: ['C-2', 'C-3'] })),
    ),
  ],
  [`${noOrder} the devices of CODE`, asked('enter', { code: 'CODE', device: 'B' })],
  [`${noOrder} the devices of CODE`, asked('enter', { code: 'CODE', device: 'A' }, inUse)],
  [`${noOrder} the devices of CODE`, inBooks(({ accessCodes }) => first(accessCodes, { devices: [], placesTaken: 0 }))],
  [`${noOrder} the balance of consumer 1`, asked('look', { customer: 'consumer 1' }, { body: { balanceMinor: 0 } })],
  [`${noOrder} the balance of consumer 1`, inBooks(({ accounts }) => first(accounts, { adjustedMinor: 1_000 }))],
  // Limits.
  [
    'limits: the access code CODE for 1 devices counts 2, and has 2',
    inBooks(({ accessCodes }) => first(accessCodes, { devices: ['A', 'B'], placesTaken: 2 })),
  ],
  [
    'limits: the access code CODE for 1 devices counts 0, and has 1',
    inBooks(({ accessCodes }) => first(accessCodes, { placesTaken: 0 })),
  ],
  // Accounts.
  ['accounts: c asked for its erasure, and is not erased', asked('erase', {})],
  ['accounts: c is erased, and nobody asked for it', erased],
  [
    'accounts: c is erased, and has 1 rows with personal data',
    all(
      erased,
      asked('erase', {}),
      inBooks(({ accounts }) => first(accounts, { personalRows: 1 })),
    ),
  ],
  [
    'accounts: c is erased, and has 1 accesses',
    all(
      erased,
      asked('erase', {}),
      inBooks(({ accounts }) => first(accounts, { openAccesses: 1 })),
    ),
  ],
  ['accounts: c is erased, and has signed in', all(erased, asked('erase', {}), asked('sign in', {}))],
  ['accounts: c: 1 to 1 exports were accepted, 2 are done', inBooks(({ accounts }) => first(accounts, { exports: 2 }))],
  ['accounts: c: 1 to 1 exports were accepted, 0 are done', inBooks(({ accounts }) => first(accounts, { exports: 0 }))],
  ['accounts: c: 1 exports are done, and 2 mailed', inBooks(({ accounts }) => first(accounts, { exportMails: 2 }))],
  // Purchases of app stores.
  [
    'store purchases: the claim X-1 was accepted, and does not exist',
    inBooks((books) => Object.assign(books, { claims: [] })),
  ],
  [
    'store purchases: the claim X-1 was accepted, and is not decided',
    inBooks(({ claims }) => first(claims, { state: 'pending' })),
  ],
  [
    'store purchases: the claim X-1 has succeeded, with 2 accesses',
    inBooks(({ claims }) => first(claims, { accesses: 2 })),
  ],
  [
    'store purchases: the store purchase P was paid, and opened nothing',
    inBooks(({ claims }) => first(claims, { state: 'failed', accesses: 0 })),
  ],
  [
    'store purchases: the store purchase P opened 2 accounts',
    all(
      asked('present', { purchase: 'P' }, { status: 202, body: { external_payment_id: 'X-2' } }),
      inBooks(({ claims }) => again(claims, 0, { token: 'X-2', accountUuid: 'd' })),
    ),
  ],
  // An erasure deletes mails. A second mail stays a violation.
  [
    'mails: 3 receipts were mailed to the customers of c, not 2',
    all(
      erased,
      asked('erase', {}),
      inBooks(({ mails }) => first(mails, { written: 3 })),
    ),
  ],
  [
    'accepted requests: C-1: 1 to 1 refunds were accepted, 0 exist',
    all(
      erased,
      asked('erase', {}),
      inBooks((books) => Object.assign(books, { refunds: [], providerRefunds: [] })),
    ),
  ],
  [
    'accepted requests: C-1: 1 to 1 refunds were accepted, 2 exist',
    inBooks((books) => again(books.refunds, 0, { key: 'R-2' })),
  ],
])('%s', (violation, change) => expect(violationsAfter(change)).toContain(violation));
