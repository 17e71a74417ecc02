import { createPublicKey, generateKeyPairSync, randomBytes, randomUUID, X509Certificate } from 'node:crypto';
import { sign, type SignOptions } from 'jsonwebtoken';
import { KEYUTIL, KJUR } from 'jsrsasign';

export interface KeyPair {
  /** PEM. */
  privateKey: string;
  publicKey: string;
}

export interface Certificate {
  pem: string;
  der: Buffer;
}

export interface CertificateRequest {
  subject: string;
  /** Absent: the certificate is self-signed. */
  issuer?: { subject: string; keys: KeyPair };
  keys: KeyPair;
  isAuthority: boolean;
  /** Object identifiers that mark what the certificate is for. */
  markers?: readonly string[];
  /** The hosts that the certificate is for. */
  alternativeNames?: readonly ({ dns: string } | { ip: string })[];
  from?: Date;
  until?: Date;
}

const yearMs = 365 * 86_400_000;

export function newEcKeys(): KeyPair {
  return asPem(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
}

export function newRsaKeys(): KeyPair {
  return asPem(generateKeyPairSync('rsa', { modulusLength: 2048 }));
}

/** A key that signs JSON Web Tokens. The store publishes its public half as a key set. */
export interface TokenSigner {
  keySet: { keys: object[] };
  sign(claims: object, expiresIn: SignOptions['expiresIn'] & {}): string;
}

export function newTokenSigner(): TokenSigner {
  const { privateKey, publicKey } = newRsaKeys();
  const kid = randomUUID();
  const key = createPublicKey(publicKey).export({ format: 'jwk' });
  return {
    keySet: { keys: [{ ...key, kid, use: 'sig', alg: 'RS256' }] },
    sign: (claims, expiresIn) => sign(claims, privateKey, { algorithm: 'RS256', keyid: kid, expiresIn }),
  };
}

/** An X.509 certificate. By default it is valid for thirty years, from ten years ago. */
export function issueCertificate(request: CertificateRequest): Certificate {
  const { subject, keys, isAuthority, markers = [], alternativeNames } = request;
  const signer = request.issuer ?? { subject, keys };
  const isElliptic = isEllipticKey(signer.keys);
  const certificate = new KJUR.asn1.x509.Certificate({
    version: 3,
    serial: { hex: `01${randomBytes(8).toString('hex')}` },
    sigalg: isElliptic ? 'SHA256withECDSA' : 'SHA256withRSA',
    issuer: { str: signer.subject },
    subject: { str: subject },
    notbefore: asn1Time(request.from ?? new Date(Date.now() - 10 * yearMs)),
    notafter: asn1Time(request.until ?? new Date(Date.now() + 20 * yearMs)),
    sbjpubkey: keys.publicKey,
    ext: [
      { extname: 'basicConstraints', critical: true, ...(isAuthority && { cA: true }) },
      { extname: 'keyUsage', critical: true, names: isAuthority ? ['keyCertSign', 'cRLSign'] : ['digitalSignature'] },
      ...(alternativeNames ? [{ extname: 'subjectAltName', array: [...alternativeNames] }] : []),
      ...markers.map((oid) => ({ extname: oid, extn: '0500' })),
    ],
    cakey: KEYUTIL.getKey(signer.keys.privateKey) as never,
  });
  const pem = certificate.getPEM();
  return { pem, der: new X509Certificate(pem).raw };
}

function isEllipticKey({ privateKey }: KeyPair): boolean {
  return KEYUTIL.getKey(privateKey) instanceof KJUR.crypto.ECDSA;
}

function asPem({ privateKey, publicKey }: ReturnType<typeof generateKeyPairSync>): KeyPair {
  const options = (type: 'pkcs8' | 'spki') => ({ type, format: 'pem' }) as never;
  return {
    privateKey: privateKey.export(options('pkcs8')) as unknown as string,
    publicKey: publicKey.export(options('spki')) as unknown as string,
  };
}

/** Two digits of the year before 2050, four digits from then on. */
function asn1Time(instant: Date): string {
  const digits = instant.toISOString().replace(/[-:T]|\.\d+/g, '');
  return instant.getUTCFullYear() < 2050 ? digits.slice(2) : digits;
}
