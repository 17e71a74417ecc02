import { Accounts } from './accounts';
import { answerApi } from './api';
import { answerControl } from './control';
import { answerForm } from './form';
import { answerPage } from './pages';
import { listen, type ReceivedRequest, type RunningServer } from './server';

export interface ProgramSettings {
  port: number;
  /** Default: this machine only. */
  host?: string | undefined;
  /** The folder of the ledgers. Absent: they are in memory. */
  folder?: string;
  /** The address at which the service takes notifications. Absent: only the control API names one. */
  notifyUrl?: string | undefined;
}

/** The payment provider of the test environment: its API, the pages of payers and banks, and its control API. */
export async function startPaymentSimulator(settings: ProgramSettings): Promise<RunningServer> {
  const { port, host = '127.0.0.1', folder, notifyUrl } = settings;
  const accounts = new Accounts(folder, notifyUrl);
  const answer = async (request: ReceivedRequest) => {
    const [room] = request.parts;
    if (room === 'health') return { status: 200, body: { healthy: true } };
    if (room === 'form') return answerForm(accounts, request);
    if (room === 'pages') return answerPage(accounts, request);
    if (room !== 'v1' && room !== 'simulator') return { status: 404, body: error('unknown_path') };
    if (request.key === '') return { status: 401, body: error('no_key') };
    const account = accounts.ofKey(request.key);
    return room === 'v1' ? answerApi(account, request) : answerControl(account, request);
  };
  const server = await listen(answer, { port, host });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      accounts.close();
    },
  };
}

const error = (code: string) => ({ error: { code, message: 'The sandbox cannot answer this request.' } });
