import { ServerResponse } from 'node:http';
import { endAfterRequest } from './lingering';

export type Headers = Readonly<Record<string, string>>;

/** Node's internal state of a response's head before it is sent. */
interface Head {
  _header: string | null;
  _contentLength: number | null;
  _keepAliveTimeout: number;
  shouldKeepAlive: boolean;
}

const unprintable = /[^\t\x20-\x7e\x80-\xff]/;
const reasons: Record<number, string> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 402: 'Payment Required' };

/**
 * The common headers of all responses, checked and joined once. Node would check each of them again for each response,
 * which takes more processor time than most responses do.
 */
export class CommonHeaders {
  private readonly text: string;
  private readonly names: ReadonlySet<string>;
  /** For the name of each own header: whether it is among `names`. */
  private readonly overriding = new Map<string, boolean>();

  constructor(readonly all: Headers) {
    this.text = textOf(all);
    this.names = new Set(Object.keys(all).map((name) => name.toLowerCase()));
  }

  /**
   * Sends a whole answer. `own` headers replace common ones of the same name. For a usual answer, Node receives the
   * finished head as text in `_header`, where Node would store it. If a middleware has set headers or replaced
   * `writeHead`, Node writes the head itself.
   */
  send(
    response: ServerResponse,
    status: number,
    own: Headers,
    body: string | Uint8Array,
    length = Buffer.byteLength(body),
  ): void {
    const head = response as unknown as Head;
    const reason = reasons[status];
    const isUsual = head.shouldKeepAlive && own['Connection'] === undefined && isUntouched(response);
    if (reason !== undefined && isUsual && !this.holdsOneOf(own)) {
      response.statusCode = status;
      head._header = `HTTP/1.1 ${status} ${reason}\r\n${this.text}${textOf(own)}Content-Length: ${length}\r\nDate: ${date()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(head._keepAliveTimeout / 1000)}\r\n\r\n`;
      head._contentLength = length;
    } else {
      response.writeHead(status, { ...this.overriddenBy(own), ...own, 'Content-Length': length });
    }
    const { req: request } = response;
    // An ASCII text has the same bytes in Latin-1, which the engine writes without conversion.
    const encoding = length === body.length ? 'latin1' : 'utf8';
    if (own['Connection'] !== 'close' || request.complete) return void response.end(body, encoding);
    response.write(body, encoding);
    endAfterRequest(request, response);
  }

  private holdsOneOf(own: Headers): boolean {
    for (const name in own) if (this.isOverridden(name)) return true;
    return false;
  }

  private isOverridden(name: string): boolean {
    const known = this.overriding.get(name);
    if (known !== undefined) return known;
    const found = this.names.has(name.toLowerCase());
    this.overriding.set(name, found);
    return found;
  }

  private overriddenBy(own: Headers): Headers {
    const given = new Set(Object.keys(own).map((name) => name.toLowerCase()));
    return Object.fromEntries(Object.entries(this.all).filter(([name]) => !given.has(name.toLowerCase())));
  }
}

const isUntouched = (response: ServerResponse) =>
  response.writeHead === ServerResponse.prototype.writeHead && response.getHeaderNames().length === 0;

function textOf(headers: Headers): string {
  let text = '';
  let values = '';
  for (const name in headers) {
    const value = headers[name] ?? '';
    values += value;
    text += `${name}: ${value}\r\n`;
  }
  if (unprintable.test(values))
    throw new TypeError(`the header ${unfit(headers)} contains a character that no header may contain`);
  return text;
}

const unfit = (headers: Headers) => Object.keys(headers).find((name) => unprintable.test(headers[name] ?? ''));

let dateText = '';
let dateSeconds = 0;

/** The HTTP date of the current second. */
function date(): string {
  const seconds = Math.floor(Date.now() / 1000);
  if (seconds === dateSeconds) return dateText;
  dateSeconds = seconds;
  return (dateText = new Date(seconds * 1000).toUTCString());
}
