import { existsSync } from 'node:fs';
import { sandboxAccountOf } from '../../src/adapters/cardProviders/sandboxForm';
import { createAccount, type Account } from './account';
import { openBooks, fileOf, type Books } from './books';
import { Faults } from './faults';
import { Notifications } from './notifications';
import { Refusal } from './refusal';

export interface OpenAccount {
  /** Names the account in the addresses of its pages. The key cannot be derived from it. */
  id: string;
  books: Books;
  account: Account;
  faults: Faults;
  notifications: Notifications;
}

/** The accounts at the provider. A key that is new opens an account with empty books. */
export class Accounts {
  private readonly open = new Map<string, OpenAccount>();

  /** `folder` undefined: all books are in memory. `notifyUrl`: where the service takes notifications of each account. */
  constructor(
    private readonly folder: string | undefined,
    private readonly notifyUrl: string | undefined,
  ) {}

  ofKey(key: string): OpenAccount {
    const id = sandboxAccountOf(key);
    const account = this.find(id) ?? this.begin(id);
    const { notifications } = account;
    if (notifications.key === '') {
      notifications.key = key;
      notifications.resume();
    }
    return account;
  }

  /** For a page, which a browser opens without the key. */
  find(id: string): OpenAccount | undefined {
    const open = this.open.get(id);
    if (open || this.folder === undefined || !isAccountId(id)) return open;
    return existsSync(fileOf(this.folder, id)) ? this.begin(id) : undefined;
  }

  /** For the payment form, which a browser opens without the key. The service may not have sent anything before. */
  ofPublishable(id: string): OpenAccount {
    if (!isAccountId(id)) throw new Refusal(404, 'unknown_account', 'The sandbox has no such account.');
    return this.find(id) ?? this.begin(id);
  }

  close(): void {
    for (const { books, notifications } of this.open.values()) {
      notifications.close();
      books.close();
    }
    this.open.clear();
  }

  private begin(id: string): OpenAccount {
    const books = openBooks(this.folder, id);
    const notifications = new Notifications(books);
    notifications.address = this.notifyUrl;
    const begun = { id, books, account: createAccount(books), faults: new Faults(), notifications };
    this.open.set(id, begun);
    return begun;
  }
}

const isAccountId = (id: string) => /^acct_[0-9a-f]{32}$/.test(id);
