import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createAccount, type Account } from './account';
import { openBooks, fileOf, type Books } from './books';
import { Faults } from './faults';

export interface OpenAccount {
  /** Names the account in the addresses of its pages. The key cannot be derived from it. */
  id: string;
  books: Books;
  account: Account;
  faults: Faults;
}

/** The accounts at the provider. A key that is new opens an account with empty books. */
export class Accounts {
  private readonly open = new Map<string, OpenAccount>();

  /** `folder` undefined: all books are in memory. */
  constructor(private readonly folder: string | undefined) {}

  ofKey(key: string): OpenAccount {
    return this.find(idOf(key)) ?? this.begin(idOf(key));
  }

  /** For a page, which a browser opens without the key. */
  find(id: string): OpenAccount | undefined {
    const open = this.open.get(id);
    if (open || this.folder === undefined || !/^acct_[0-9a-f]{32}$/.test(id)) return open;
    return existsSync(fileOf(this.folder, id)) ? this.begin(id) : undefined;
  }

  close(): void {
    for (const { books } of this.open.values()) books.close();
    this.open.clear();
  }

  private begin(id: string): OpenAccount {
    const books = openBooks(this.folder, id);
    const begun = { id, books, account: createAccount(books), faults: new Faults() };
    this.open.set(id, begun);
    return begun;
  }
}

const idOf = (key: string) => `acct_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
