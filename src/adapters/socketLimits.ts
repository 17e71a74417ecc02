import { type WebSocket } from 'ws';
import { networkOf } from '../kit/hosts';
import { type RateLimiter } from '../kit/rateLimit';
import { closeCodes } from './socketListener';

/** After a restart, all viewers behind one address come back at once. */
const handshakesShare = 10;

export interface SocketCounts {
  /** Open sockets of an account in this replica. */
  perAccount: number;
  /** Open sockets of an address without a valid token. */
  perAddress: number;
  /** Handshakes per minute and address without a valid token. */
  perMinute: number;
}

/**
 * Limits the sockets of this replica. Many viewers share an address, so those that are signed in are limited by account.
 * Sockets without a valid token are limited by address.
 */
export class SocketLimits {
  private readonly accounts = new Map<number, Set<WebSocket>>();
  private readonly strangers = new Map<string, number>();

  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly most: SocketCounts,
  ) {}

  /** Whether a client may open one more socket. Called before anything is read for it. */
  mayOpen(clientAddress: string): boolean {
    const network = networkOf(clientAddress);
    const most = this.most.perMinute * handshakesShare;
    return !this.rateLimiter.count(`handshakes:${network}`, most).isExceeded && !this.hasTooMany(network);
  }

  /** Counts an open socket. The account's oldest one ends for one above the limit: a client may have lost it. */
  add(socket: WebSocket, accountId: number | undefined, clientAddress: string): void {
    if (accountId === undefined) return this.addStranger(socket, networkOf(clientAddress));
    const own = this.accounts.get(accountId) ?? new Set<WebSocket>();
    this.accounts.set(accountId, own.add(socket));
    socket.once('close', () => {
      own.delete(socket);
      if (own.size === 0 && this.accounts.get(accountId) === own) this.accounts.delete(accountId);
    });
    const [oldest] = own;
    if (own.size <= this.most.perAccount || !oldest) return;
    own.delete(oldest);
    oldest.close(closeCodes.tooMany, 'too many sockets');
  }

  private addStranger(socket: WebSocket, network: string): void {
    const count = this.rateLimiter.count(`strangers:${network}`, this.most.perMinute);
    this.strangers.set(network, (this.strangers.get(network) ?? 0) + 1);
    socket.once('close', () => {
      const left = (this.strangers.get(network) ?? 1) - 1;
      if (left > 0) this.strangers.set(network, left);
      else this.strangers.delete(network);
    });
    if (count.isExceeded || this.hasTooMany(network, 1)) socket.close(closeCodes.tooMany, 'too many sockets');
  }

  /** `own`: the socket that asks is counted already. */
  private hasTooMany(network: string, own = 0): boolean {
    return (this.strangers.get(network) ?? 0) - own >= this.most.perAddress;
  }
}
