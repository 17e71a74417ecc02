import { type z } from 'zod';
import { now } from '../adapters/clock';
import { isCloudFrontKey, signCloudFrontUrl, signMediaToken } from '../adapters/media';
import { transaction } from '../adapters/postgres/connection';
import { seal, unseal } from '../adapters/sealing';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { getOpenItem } from './entitlements';
import { listHolders, MediaSettings } from './media.model';
import { type MediaSettingsBody, type MediaSettingsResponse } from './media.schemas';

type SettingsInput = z.output<typeof MediaSettingsBody>;
type OpenItem = Awaited<ReturnType<typeof getOpenItem>>;

const secretPurpose = 'media-secret';
const keyPurpose = 'cloudfront-key';
/** Long enough for a player to start. The platform signs the later requests of the player. */
const signedSeconds = 600;

export async function getMediaSettings(caller: Caller): Promise<z.output<typeof MediaSettingsResponse>> {
  const row = await MediaSettings.findByPk(caller.merchantId);
  return {
    has_media_secret: Boolean(row?.sealedMediaSecret),
    cloudfront_key_pair_id: row?.keyPairId ?? null,
    has_cloudfront_private_key: Boolean(row?.sealedPrivateKey),
    cloudfront_hosts: row?.hosts ?? [],
  };
}

/** Secrets are stored encrypted. The id and the private key of a key pair must be set together. */
export async function updateMediaSettings(caller: Caller, input: SettingsInput, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const changes = { ...sealedInput(input), updatedAt: new Date() };
  await transaction(async (inTransaction) => {
    await MediaSettings.upsert({ merchantId, ...changes }, { transaction: inTransaction });
    await audit(inTransaction, caller, {
      action: 'media_settings.update',
      object: ['merchant', merchantId],
      requestId,
    });
  });
  return getMediaSettings(caller);
}

/** Issues a token for the first item with the medium that the caller has access to. */
export async function getMediaToken(caller: Caller, mediaId: string, request: RequestFacts) {
  const { entitlement } = await getOpenHolder(caller, mediaId, request);
  const row = await MediaSettings.findByPk(caller.merchantId);
  const secret = row?.sealedMediaSecret ? unseal(secretPurpose, row.sealedMediaSecret) : undefined;
  if (secret === undefined) throw new AppError('media_not_configured');
  return { token: signMediaToken(secret, `/v2/media/${mediaId}`, endOfSignature(entitlement)) };
}

/**
 * Signs only an address in the item's content, because access is limited to the item and does not include the whole
 * host.
 */
export async function getSignedUrl(caller: Caller, itemId: number, request: RequestFacts) {
  const { item, entitlement } = await getOpenItem(caller, itemId, request);
  const row = await MediaSettings.findByPk(caller.merchantId);
  const privateKey = row?.sealedPrivateKey ? unseal(keyPurpose, row.sealedPrivateKey) : undefined;
  if (!row || privateKey === undefined || row.keyPairId === null) throw new AppError('media_not_configured');
  const url = readUrl(request.queryText);
  if (!url || !row.hosts.includes(url.host)) throw wrongUrl('must be an https address on a host of the merchant');
  if (!isNamed(url, item.content)) throw wrongUrl('must be an address that the item names');
  const key = { keyPairId: row.keyPairId, privateKey };
  return { video_url: signCloudFrontUrl(key, url.href, endOfSignature(entitlement)) };
}

function sealedInput(input: SettingsInput) {
  const { media_secret: secret, cloudfront_key_pair_id: keyPairId, cloudfront_private_key: privateKey } = input;
  if ((keyPairId === undefined) !== (privateKey === undefined)) {
    const absent = keyPairId === undefined ? 'cloudfront_key_pair_id' : 'cloudfront_private_key';
    throw new AppError('missing_parameter', { errors: { [absent]: `The ${absent} must not be empty.` } });
  }
  if (privateKey !== undefined && !isCloudFrontKey(privateKey)) {
    const text = 'The cloudfront_private_key must be an RSA key of 2048 bits or more, in PEM.';
    throw new AppError('invalid_input', { errors: { cloudfront_private_key: text } });
  }
  return {
    ...(secret !== undefined && { sealedMediaSecret: seal(secretPurpose, secret) }),
    ...(keyPairId !== undefined && { keyPairId }),
    ...(privateKey !== undefined && { sealedPrivateKey: seal(keyPurpose, privateKey) }),
    ...(input.cloudfront_hosts !== undefined && { hosts: input.cloudfront_hosts }),
  };
}

async function getOpenHolder(caller: Caller, mediaId: string, request: RequestFacts): Promise<OpenItem> {
  let refusal: unknown = new AppError('media_not_found');
  for (const itemId of await listHolders(caller.merchantId, mediaId)) {
    try {
      return await getOpenItem(caller, itemId, request);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

function endOfSignature({ expiresAt }: OpenItem['entitlement']): Date {
  return new Date(Math.min(now().getTime() + signedSeconds * 1000, expiresAt.getTime()));
}

const signatureParameters = ['Policy', 'Signature', 'Key-Pair-Id', 'Expires', 'Hash-Algorithm'];

/**
 * Clients send the address plain or encoded. Three forms are refused. With a `*`, the signature would also be valid in
 * a custom policy, in which `*` matches everything. A second `?` matches any character there. An address with the
 * parameters of a signature is already signed.
 */
function readUrl(queryText: string): URL | undefined {
  const sent = /(?:^|&)url=(.*)$/s.exec(queryText)?.[1] ?? '';
  const text = /^https%3a/i.test(sent) ? decodeURIComponent(sent) : sent;
  if (/\*|\?.*\?/s.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === '';
  return isPlain && !signatureParameters.some((name) => url.searchParams.has(name)) ? url : undefined;
}

/** Whether the content contains the address itself or a folder above it. The query is ignored. */
function isNamed(url: URL, content: string): boolean {
  const plain = content.replaceAll('\\/', '/').replaceAll('&amp;', '&');
  const requested = `${url.origin}${url.pathname}`;
  const named = (plain.match(/https:\/\/[^\s"'<>\\]+/gi) ?? []).filter((text) => URL.canParse(text));
  return named.some((text) => {
    const { origin, pathname } = new URL(text);
    const folder = `${origin}${pathname}`;
    return folder === requested || (pathname !== '/' && folder.endsWith('/') && requested.startsWith(folder));
  });
}

function wrongUrl(text: string): AppError {
  return new AppError('invalid_input', { errors: { url: `The url ${text}.` } });
}
