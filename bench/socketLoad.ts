import { WebSocket } from 'ws';

export interface SocketLoad {
  port: number;
  sockets: number;
  merchant: { token: string; uuid: string };
}

/**
 * Messages to the parent process: all sockets are open, or all have received the next event, with the time between the
 * first and the last.
 */
export type SocketNews = { open: true } | { reached: true; spreadMs: number } | { lost: string };

const atOnce = 200;

/** The listeners, in a process of their own, so that they do not use the server's event loop or its open files. */
process.once('message', (load: SocketLoad) => {
  const tell = (news: SocketNews) => process.send?.(news);
  let hearing = 0;
  let firstAt = 0;
  const hear = () => {
    if (hearing === 0) firstAt = performance.now();
    hearing += 1;
    if (hearing < load.sockets) return;
    hearing = 0;
    tell({ reached: true, spreadMs: performance.now() - firstAt });
  };
  let opened = 0;
  const openNext = (): void => {
    if (opened >= load.sockets) return;
    opened += 1;
    const socket = new WebSocket(`ws://127.0.0.1:${load.port}/notifications?merchant_uuid=${load.merchant.uuid}`, {
      headers: { Authorization: `Bearer ${load.merchant.token}` },
      perMessageDeflate: false,
    });
    socket.on('message', hear);
    socket.on('error', ({ message }) => tell({ lost: message }));
    socket.on('close', (code) => tell({ lost: `closed with ${code}` }));
    socket.on('open', () => {
      open += 1;
      if (open === load.sockets) tell({ open: true });
      openNext();
    });
  };
  let open = 0;
  for (let n = 0; n < atOnce; n += 1) openNext();
});
