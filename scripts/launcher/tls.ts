import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { issueCertificate, newEcKeys } from '../storeSimulator/certificates';

const dayMs = 86_400_000;

/**
 * The settings of `npm start -- --tls`: a self-signed certificate for this machine, which is kept in the data folder.
 * Some clients open their sockets by `wss` only. Browsers ask once whether they may trust the certificate. A certificate
 * in the settings is used instead.
 */
export function provideTls(environment: NodeJS.ProcessEnv): Record<string, string> {
  if (environment['TLS_CERT']) return {};
  const folder = resolve(__dirname, '..', '..', '..', environment['DATA_DIR'] || '.data', 'tls');
  const files = { TLS_CERT: join(folder, 'certificate.pem'), TLS_KEY: join(folder, 'key.pem') };
  if (!existsSync(files.TLS_CERT)) writeCertificate(folder, files);
  return files;
}

function writeCertificate(folder: string, files: { TLS_CERT: string; TLS_KEY: string }): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const keys = newEcKeys();
  const { pem } = issueCertificate({
    subject: '/CN=localhost',
    keys,
    isAuthority: false,
    from: new Date(Date.now() - dayMs),
    // Browsers accept no longer lifetime.
    until: new Date(Date.now() + 397 * dayMs),
    alternativeNames: [{ dns: 'localhost' }, { ip: '127.0.0.1' }, { ip: '::1' }],
  });
  writeFileSync(files.TLS_KEY, keys.privateKey, { mode: 0o600 });
  writeFileSync(files.TLS_CERT, pem);
}
