import './theme/styles';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { followUpdates } from './browser/version';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
followUpdates();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
