import { type z } from 'zod';
import { now } from '../../adapters/clock';
import { isCloudFrontKey, signCloudFrontUrl, signMediaToken } from '../../adapters/media';
import { transaction } from '../../adapters/postgres/connection';
import { seal, unseal } from '../../adapters/sealing';
import { actorOf, writeAudit } from '../../audit/service';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { getOpenItem } from '../access/service';
import { listHolders, MediaSettings } from './model';
import { type MediaSettingsBody, type MediaSettingsResponse } from './schemas';

type SettingsInput = z.output<typeof MediaSettingsBody>;
type OpenItem = Awaited<ReturnType<typeof getOpenItem>>;

const secretPurpose = 'media-secret';
const keyPurpose = 'cloudfront-key';
/** Long enough to begin to play; what a player fetches afterwards, its platform signs. */
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

/** Secrets lie sealed in the database. The key pair's id and its private key are set together. */
export async function updateMediaSettings(caller: Caller, input: SettingsInput, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const changes = { ...sealedInput(input), updatedAt: new Date() };
  await transaction(async (inTransaction) => {
    await MediaSettings.upsert({ merchantId, ...changes }, { transaction: inTransaction });
    const deed = { action: 'media_settings.update', objectType: 'merchant', objectId: merchantId, requestId } as const;
    await writeAudit(inTransaction, { ...actorOf(caller), ...deed });
  });
  return getMediaSettings(caller);
}

/** For the first item that holds the medium and that the caller may see. */
export async function getMediaToken(caller: Caller, mediaId: string, request: RequestFacts) {
  const { entitlement } = await getOpenHolder(caller, mediaId, request);
  const row = await MediaSettings.findByPk(caller.merchantId);
  const secret = row?.sealedMediaSecret ? unseal(secretPurpose, row.sealedMediaSecret) : undefined;
  if (secret === undefined) throw new AppError('media_not_configured');
  return { token: signMediaToken(secret, `/v2/media/${mediaId}`, endOfSignature(entitlement)) };
}

/** Only an address that the item's content names, since access is to the item and not to all that lies on a host. */
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
 * Some clients send the address as it is, others encoded. None with a `*`: a signature of one is good as well for a custom
 * policy, in which that opens everything, and a second `?` any letter. Nor one that brings a signature's parameters along.
 */
function readUrl(queryText: string): URL | undefined {
  const sent = /(?:^|&)url=(.*)$/s.exec(queryText)?.[1] ?? '';
  const text = /^https%3a/i.test(sent) ? decodeURIComponent(sent) : sent;
  if (/\*|\?.*\?/s.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === '';
  return isPlain && !signatureParameters.some((name) => url.searchParams.has(name)) ? url : undefined;
}

/** The address itself, or a folder that it lies in; its query does not count. */
function isNamed(url: URL, content: string): boolean {
  const plain = content.replaceAll('\\/', '/').replaceAll('&amp;', '&');
  const asked = `${url.origin}${url.pathname}`;
  const named = (plain.match(/https:\/\/[^\s"'<>\\]+/gi) ?? []).filter((text) => URL.canParse(text));
  return named.some((text) => {
    const { origin, pathname } = new URL(text);
    const place = `${origin}${pathname}`;
    return place === asked || (pathname !== '/' && place.endsWith('/') && asked.startsWith(place));
  });
}

function wrongUrl(text: string): AppError {
  return new AppError('invalid_input', { errors: { url: `The url ${text}.` } });
}
