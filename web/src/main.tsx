import './theme/styles';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { followUpdates, version } from './browser/version';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
followUpdates();
createRoot(root, {
  onCaughtError: (error) => {
    // eslint-disable-next-line no-console -- React logs errors to the console as well
    if (!version.isLeaving()) console.error(error);
  },
}).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
