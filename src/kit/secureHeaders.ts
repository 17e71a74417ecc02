import { type IncomingMessage, type ServerResponse } from 'node:http';
import helmet from 'helmet';
import { type Headers } from './headers';

/** The headers that helmet sets on each response, read once because they never change. */
export function readSecureHeaders({ isHttps }: { isHttps: boolean }): Headers {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => void (headers[name] = value),
    removeHeader: () => undefined,
  };
  const secure = helmet({
    contentSecurityPolicy: {
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        imgSrc: ["'self'", 'data:'],
        styleSrc: ["'self'", "'unsafe-inline'"],
        fontSrc: ["'self'", 'data:'],
        upgradeInsecureRequests: null,
      },
    },
    strictTransportSecurity: isHttps,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
  secure({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return headers;
}
