import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type CustomFetchOptions } from 'openid-client';
import { checkedLookup, isPublicAddress, refusePrivateLiteral, resolveHost } from '../publicAddresses';
import { webhooksMayBePrivate } from '../settings';

/** More than the metadata and the keys of any provider. */
const longestAnswerBytes = 512 * 1024;
const withoutBody = [204, 205, 304];

/**
 * A request to an address that a merchant has chosen. Each connection is checked like that of a webhook, a redirect is
 * not followed, and a long answer is refused.
 */
export async function guardedFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const isAllowed = webhooksMayBePrivate ? () => true : isPublicAddress;
  refusePrivateLiteral(url, isAllowed);
  const answer = await send(url, options, isAllowed);
  const status = answer.statusCode ?? 0;
  const body = await readWhole(answer);
  const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Response(withoutBody.includes(status) ? null : body, { status, headers });
}

function send(
  url: string,
  { method, headers, body, signal }: CustomFetchOptions,
  isAllowed: (address: string) => boolean,
): Promise<IncomingMessage> {
  const isHttps = url.startsWith('https:');
  const text = body === undefined || body === null ? undefined : bodyText(body);
  return new Promise((resolve, reject) => {
    const request = (isHttps ? httpsRequest : httpRequest)(url, {
      method,
      agent: false,
      lookup: checkedLookup(resolveHost, isAllowed),
      headers: { ...headers, ...(text !== undefined && { 'Content-Length': Buffer.byteLength(text) }) },
      ...(signal && { signal }),
    });
    request.once('response', resolve);
    request.once('error', reject);
    request.end(text);
  });
}

/** The library sends forms only. */
function bodyText(body: NonNullable<CustomFetchOptions['body']>): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new Error('the body of a request to a provider is no form');
}

async function readWhole(answer: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    // Leaving the loop closes the connection.
    if (length > longestAnswerBytes) throw new Error('the answer of the provider is too long');
  }
  return Buffer.concat(parts);
}
