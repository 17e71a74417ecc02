import { again, first, inBooks, violationsAfter, withoutReceived, type Change } from './changes';
import { type Entry } from './history';

/** The rules about invoices, monthly revenue, webhooks and mails. */

test.each<[string, Change]>([
  [
    'a credit note of a refund that failed later is canceled',
    inBooks(({ sales, documents, refunds, providerRefunds }) => {
      sales.pop();
      again(documents, 2, { kind: 'cancellation', sequenceNo: 4, netMinor: 378, taxMinor: 72, grossMinor: 450 });
      first(refunds, { state: 'failed' });
      providerRefunds.pop();
    }),
  ],
  [
    'a new year begins with number 1',
    inBooks(({ documents }) => Object.assign(documents[2] ?? {}, { year: 2027, sequenceNo: 1 })),
  ],
  [
    'a discount lowers the monthly price',
    inBooks(({ revenue, customers }) => {
      first(revenue, { ledgerMinor: 899, monthlyMinor: 899 });
      first(customers, { mrrMinor: 899 });
    }),
  ],
  [
    'a socket does not hear what only webhooks receive',
    (example) => {
      const [event] = example.books.events;
      if (event) example.books.events.push({ ...event, sequence: 3, type: 'customer.updated' });
      const last = example.entries.findLast((entry) => entry.kind === 'received') as Entry;
      example.entries.push({ ...last, id: 3, type: 'customer.updated' } as Entry);
    },
  ],
])('no violation: %s', (_, change) => expect(violationsAfter(change)).toEqual([]));

test.each<[string, Change]>([
  // Documents.
  ['documents: invoice of C-1: has 0 documents', inBooks(({ documents }) => documents.splice(1, 1))],
  ['documents: invoice of C-1: has 2 documents', inBooks(({ documents }) => again(documents, 1, { sequenceNo: 4 }))],
  [
    'documents: credit_note of R-1: has 0 documents',
    inBooks(({ documents }) => again(documents, 2, { kind: 'cancellation', sequenceNo: 4 })),
  ],
  [
    'documents: invoice of S-2:1: has a document without money',
    inBooks(({ documents }) => again(documents, 0, { key: 'S-2:1', sequenceNo: 4 })),
  ],
  ['documents: invoice of S-1:1: has no tax', inBooks(({ sales }) => first(sales, { tax: null }))],
  [
    'documents: invoice of S-1:1: has a tax that is not of 999',
    inBooks(({ sales }) => first(sales, { tax: { netMinor: 840, taxMinor: 160, grossMinor: 999 } })),
  ],
  [
    'documents: invoice of S-1:1: has a tax that is not of 1000',
    inBooks(({ sales }) => first(sales, { amountMinor: 1000 })),
  ],
  [
    'documents: invoice of S-1:1: has 999 with 159 of tax, not 999 with 160',
    inBooks(({ documents }) => first(documents, { netMinor: 840, taxMinor: 159 })),
  ],
  [
    'documents: invoice of S-1:1: has a document that does not add up',
    inBooks(({ documents }) => first(documents, { netMinor: 840 })),
  ],
  [
    'documents: the documents of merchant m 2026 have 4 where 3 follows',
    inBooks(({ documents }) => Object.assign(documents[2] ?? {}, { sequenceNo: 4 })),
  ],
  // Revenue.
  [
    'revenue: S-1 has 1998 in the MRR ledger, and a monthly price of 999',
    inBooks(({ revenue }) => first(revenue, { ledgerMinor: 1998 })),
  ],
  [
    'revenue: S-1 has 998 in the MRR ledger, and a monthly price of 999',
    inBooks(({ revenue }) => first(revenue, { ledgerMinor: 998 })),
  ],
  [
    'revenue: S-1 has 999 in the MRR ledger, and a monthly price of 899',
    inBooks(({ revenue }) => first(revenue, { monthlyMinor: 899 })),
  ],
  [
    'revenue: the customer c has 0 a month, and 999 in the MRR ledger',
    inBooks(({ customers }) => first(customers, { mrrMinor: 0 })),
  ],
  // Webhooks.
  ['webhooks: the back end of merchant 1 did not receive event 1 (subscribe.success)', withoutReceived(1)],
  [
    'webhooks: the back end of merchant 1 received event 1 after 2',
    (example) => {
      const late = example.entries.findLast((entry) => entry.kind === 'received') as Entry;
      withoutReceived(1)(example);
      example.entries.push(late);
    },
  ],
  [
    'webhooks: the back end of merchant 1 received event 1 (subscribe.success), which is not its own',
    inBooks(({ events }) => first(events, { accountUuid: 'other' })),
  ],
  // Mails.
  ['mails: 3 receipts were mailed to the customers of c, not 2', inBooks(({ mails }) => first(mails, { written: 3 }))],
  ['mails: 1 receipts were mailed to the customers of c, not 2', inBooks(({ mails }) => first(mails, { written: 1 }))],
])('%s', (violation, change) => expect(violationsAfter(change)).toContain(violation));
