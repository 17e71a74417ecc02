import { buyInStore } from './appStores';
import { call, type Reply } from '../support/client';
import { cards, password, purchase, registration } from '../support/factories';
import { Listener } from './listener';
import { adjustedCurrency, ask, patiently, type Request, type World } from './requests';
import { isRead, type Operation } from './schedule';
import { type Shop } from './shops';

/** A consumer, and the merchant's staff who serve this consumer: one operation after the other. */
export class Consumer {
  listener: Listener | undefined;
  private token: string | undefined;
  /** The newest subscription, and its item. */
  private subscription: { token: string; item: number } | undefined;
  private readonly payments: string[] = [];
  private hasExported = false;
  private isErased = false;

  constructor(
    private readonly world: World,
    private readonly shop: Shop,
    private readonly index: number,
  ) {}

  private get actor(): string {
    return `consumer ${this.index}`;
  }

  async do(operation: Operation): Promise<void> {
    await this.register();
    const request = this.token === undefined ? undefined : await this.requestFor(operation);
    if (operation.what === 'reconnect' && !this.isErased) this.listener?.reconnect();
    if (!request) {
      this.world.history.add({ kind: 'skipped', actor: this.actor, operation: operation.number });
      return;
    }
    // Without a key, each request for a code is a call of its own.
    const isOpenToAll = request.what === 'enter' || request.what === 'sign in';
    this.remember(request, operation, await ask(this.world, request, isOpenToAll ? once : operation));
  }

  /** Does nothing if the consumer has an account. */
  async register(): Promise<void> {
    if (this.token !== undefined) return;
    const body = { ...registration('consumer', this.shop.merchant.uuid), username: emailOf(this.index) };
    const request: Request = {
      actor: this.actor,
      operation: -1_000_000 - this.index,
      what: 'register',
      method: 'POST',
      path: '/accounts',
      body,
      fields: {},
    };
    const reply = await ask(this.world, request, patiently);
    const { access_token: token, account } = (reply?.body ?? {}) as {
      access_token?: string;
      account?: { uuid: string; id: number };
    };
    if (token === undefined || !account) return;
    this.token = token;
    this.shop.customers.push({ actor: this.actor, id: account.id });
    const { uuid: merchantUuid } = this.shop.merchant;
    this.listener = new Listener(this.world, { actor: this.actor, token, merchantUuid, accountUuid: account.uuid });
  }

  private remember({ what }: Request, { item }: Operation, reply: Reply<Record<string, unknown>> | undefined): void {
    // An account whose erasure was accepted without an answer refuses the second request.
    if (what === 'erase') this.isForgotten();
    if (!reply || reply.status >= 300) return;
    const { subscription_id: token, transaction } = reply.body;
    if (what === 'subscribe' && typeof token === 'string') this.subscription = { token, item };
    if (typeof transaction === 'string') this.payments.push(transaction);
  }

  private isForgotten(): void {
    this.isErased = true;
    this.listener?.stop();
  }

  /** Undefined if there is nothing to cancel, to refund or to redeem. */
  private async requestFor(operation: Operation): Promise<Request | undefined> {
    const { what, item } = operation;
    const { dayPasses } = this.shop;
    const pass = dayPasses[item % dayPasses.length];
    if (this.isErased) return this.signsIn(operation);
    if (what === 'subscribe') return this.buys(operation, '/subscriptions', this.planOf(operation), {});
    if (what === 'pay') return this.buys(operation, '/payments', pass, {});
    if (what === 'give') return this.buys(operation, '/payments', dayPasses[0], this.toSomebodyElse());
    if (what === 'redeem') return this.redeems(operation);
    if (what === 'refund') return this.isRefunded(operation);
    if (what === 'advance') return this.letsTimePass(operation);
    if (what === 'enter' || what === 'leave') return this.usesCode(operation);
    if (isRead(what)) return this.reads(operation);
    if (what === 'adjust') return this.isAdjusted(operation);
    if (what === 'present') return this.presents(operation);
    if (what === 'export') return this.exports(operation);
    if (what === 'erase') return this.asks(operation, 'DELETE', '/accounts/erase', { password }, {});
    return this.subscription && this.changes(operation, this.subscription);
  }

  private reads(operation: Operation): Request | undefined {
    const { what, item, days } = operation;
    if (what === 'look') return this.asks(operation, 'GET', '/v2/accounting/balances', {}, { customer: this.actor });
    if (what === 'list') return this.asks(operation, 'GET', '/subscriptions?size=100', {});
    const { id } = this.shop.items[(item + days) % this.shop.items.length] ?? {};
    if (what === 'check') return this.asks(operation, 'GET', `/items/${id}/access`, {}, { item: id });
    if (what === 'page') {
      const path = `/paywall/${this.shop.merchant.uuid}/${id}`;
      return { ...this.asks(operation, 'GET', path, {}), token: undefined };
    }
    if (!this.subscription) return undefined;
    const { token } = this.subscription;
    return this.asks(operation, 'GET', `/subscriptions/${token}`, {}, { subscription: token });
  }

  private changes(operation: Operation, { token, item }: { token: string; item: number }): Request | undefined {
    const { what, fee } = operation;
    const path = `/subscriptions/${token}`;
    const changed = { subscription: token };
    const planId = this.planOf({ item, fee });
    if (what === 'cancel') return this.asks(operation, 'DELETE', path, {}, changed);
    if (what === 'resume') return this.asks(operation, 'POST', `${path}/resume`, {}, changed);
    if (what !== 'switch') return undefined;
    return this.asks(operation, 'POST', `${path}/switch`, { access_fee_id: planId }, { ...changed, fee: planId });
  }

  private planOf({ item, fee }: Pick<Operation, 'item' | 'fee'>): number | undefined {
    const { plans } = this.shop;
    return plans[item % plans.length]?.[fee];
  }

  private asks(
    { number, what }: Operation,
    method: Request['method'],
    path: string,
    body: Record<string, unknown>,
    fields = body,
  ): Request {
    return { actor: this.actor, operation: number, what, method, path, body, fields, token: this.token };
  }

  private buys(operation: Operation, path: string, fee = 0, extra: Record<string, unknown>): Request {
    const { card, voucher } = operation;
    const code = voucher === 'none' ? {} : { voucher_code: this.shop.vouchers[voucher] };
    const body = { ...purchase({ fee: { id: fee } }, cards[card]), ...code, ...extra };
    return this.asks(operation, 'POST', path, body, {
      fee,
      item: this.shop.itemOf[fee],
      card,
      voucher,
      ...code,
      ...extra,
    });
  }

  /** The code is the same for all consumers of the merchant. Each is one device. */
  private usesCode(operation: Operation): Request {
    const { itemId, code } = this.shop.accessCode;
    const device = { code, device: this.device };
    const leaving = {
      ...this.asks(operation, 'DELETE', `/items/access/codes/${code}/${this.device}`, {}, device),
      token: undefined,
    };
    if (operation.what === 'leave') return leaving;
    const body = { item_id: itemId, code, browser_fingerprint: this.device };
    return { ...leaving, method: 'POST', path: '/items/access/codes/entry', body };
  }

  private get device(): string {
    return this.actor.replace(' ', '-');
  }

  /** The merchant changes the balance of any of its customers. */
  private isAdjusted(operation: Operation): Request | undefined {
    const { customers, actor, merchant } = this.shop;
    const customer = customers[(operation.number + operation.item) % Math.max(1, customers.length)];
    if (!customer) return undefined;
    const amountMinor = (operation.isFull ? 100 : -100) * operation.days;
    const body = { amount: amountMinor / 100, currency: adjustedCurrency, note: 'Goodwill' };
    const path = `/v2/accounts/customers/${customer.id}/balances/movements`;
    const request = this.asks(operation, 'POST', path, body, { customer: customer.actor, amountMinor });
    return { ...request, actor, token: merchant.token };
  }

  /** Once, because the number of exports in an hour is limited. */
  private exports(operation: Operation): Request | undefined {
    if (this.hasExported) return undefined;
    this.hasExported = true;
    return this.asks(operation, 'POST', '/accounts/export', { password }, {});
  }

  /** Presents a new purchase of an app store, or one that somebody has presented already. */
  private async presents(operation: Operation): Promise<Request | undefined> {
    const { apps, storeProduct, storePurchases } = this.shop;
    const { storesUrl } = this.world;
    const app = apps[operation.item % Math.max(1, apps.length)];
    if (!app || storesUrl === undefined) return undefined;
    const { itemId, feeId } = storeProduct;
    const known = operation.isFull ? storePurchases[operation.days % Math.max(1, storePurchases.length)] : undefined;
    const purchase = known ?? (await buyInStore(storesUrl, app, `${itemId}_${feeId}`));
    if (!known) storePurchases.push(purchase);
    const body = { ...purchase.receipt, item_id: itemId, access_fee_id: feeId };
    const path = `/v2/external-payments/${purchase.store}/validate`;
    return this.asks(operation, 'POST', path, body, { purchase: purchase.id });
  }

  private signsIn(operation: Operation): Request {
    const who = { client_id: this.shop.merchant.uuid, username: emailOf(this.index) };
    const body = { grant_type: 'password', ...who, password };
    const request = this.asks(operation, 'POST', '/accounts/authenticate', body, {});
    return { ...request, what: 'sign in', token: undefined };
  }

  private toSomebodyElse() {
    // Consumers of the same merchant follow each other.
    return { is_gift: true, receiver_email: emailOf(this.index % 12 === 11 ? this.index - 1 : this.index + 1) };
  }

  /** Reads the codes in the mails to this consumer, and takes one of them, used or not. */
  private async redeems(operation: Operation): Promise<Request | undefined> {
    const app = { address: this.world.addresses[operation.number % this.world.addresses.length] ?? '' };
    const path = `/test-mailbox?to=${emailOf(this.index)}`;
    const options = { token: this.shop.merchant.token, signal: AbortSignal.timeout(5_000) };
    const mailbox = await call<{ collection?: { text: string }[] }>(app, 'GET', path, undefined, options).catch(
      () => undefined,
    );
    const codes = (mailbox?.body.collection ?? []).flatMap(({ text }) => /\b[A-Z\d]{12}\b/.exec(text) ?? []);
    const code = codes[operation.item % Math.max(1, codes.length)];
    if (code === undefined) return undefined;
    const fee = this.shop.dayPasses[0] ?? 0;
    const body = { access_fee: fee, voucher_code: code };
    return this.asks(operation, 'POST', '/payments', body, { ...body, item: this.shop.itemOf[fee] });
  }

  private isRefunded(operation: Operation): Request | undefined {
    const transaction = this.payments[operation.item % Math.max(1, this.payments.length)];
    if (transaction === undefined) return undefined;
    const body = operation.isFull ? {} : { amount: '1.00' };
    const request = this.asks(operation, 'POST', `/payments/${transaction}/refund`, body, { transaction, ...body });
    return { ...request, actor: this.shop.actor, token: this.shop.merchant.token };
  }

  private letsTimePass(operation: Operation): Request {
    const request = this.asks(operation, 'POST', '/test-clock', { advance: operation.days * 86_400 });
    return { ...request, actor: this.shop.actor, token: this.shop.merchant.token };
  }
}

const once = { withKey: false, repeats: 0, together: false };

const emailOf = (index: number) => `consumer-${index}@example.org`;
