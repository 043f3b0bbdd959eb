import { Button, Code, Loader, Stack, Text } from '@mantine/core';
import { useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { arrive, finishSignIn, type Challenge, type FactorMethod } from '@/api';
import { takeReturnPath } from '@/browser/returnTo';
import { useText } from '@/i18n';
import { Banner } from '@/ui';
import { FactorForm } from '@/ui/signin/FactorForm';
import { SignInFrame } from '@/ui/signin/SignInFrame';
import { ssoMessages } from './messages';

/** The result from the service, in the fragment of the address, which browsers do not send. */
interface ResultParams {
  result: string | null;
  challenge: Challenge | undefined;
  failure: string | null;
  request: string | null;
}

const isMethod = (name: string): name is FactorMethod => name === 'passkey' || name === 'totp' || name === 'recovery';

/** Returns the challenge, which has the members of the 202 response of a password sign-in. */
function challengeIn(said: URLSearchParams): Challenge | undefined {
  const challenge = said.get('challenge');
  if (challenge === null) return undefined;
  return { challenge, methods: (said.get('methods') ?? '').split(',').filter(isMethod), passkey: passkeyIn(said.get('passkey')) };
}

/** The URL is untrusted input. The browser validates the passkey options. */
function passkeyIn(text: string | null): Challenge['passkey'] {
  try {
    return text === null ? null : (JSON.parse(text) as Challenge['passkey']);
  } catch {
    return null;
  }
}

function read(hash: string): ResultParams {
  const said = new URLSearchParams(hash);
  return {
    result: said.get('result'),
    challenge: challengeIn(said),
    failure: said.get('failure'),
    request: said.get('request'),
  };
}

/**
 * The page to which the sign-in with a provider redirects. It continues to the original page or to
 * the second factor, or displays an error.
 */
export function SingleSignOnPage() {
  const t = useText(ssoMessages);
  const { history } = useRouter();
  const hash = useLocation({ select: (place) => place.hash });
  // The result is read once, because the original page replaces this page.
  const [params] = useState(() => read(hash));
  const { challenge } = params;
  const [isOver, setOver] = useState(false);
  const leave = () => history.replace(takeReturnPath());
  return (
    <SignInFrame title={t('title')}>
      {params.result === 'signed-in' ? (
        <Arriving onArrived={leave} />
      ) : params.result === 'linked' ? (
        <Stack gap="md">
          <Banner tone="ok" title={t('linked')}>
            {t('linkedHint')}
          </Banner>
          <Button onClick={leave}>{t('continueSignIn')}</Button>
        </Stack>
      ) : challenge !== undefined && !isOver ? (
        <FactorForm
          challenge={challenge}
          hint={t('codeHint')}
          send={async (shown) => {
            await finishSignIn(challenge.challenge, shown);
            leave();
          }}
          back={t('back')}
          onBack={leave}
          onEnded={() => setOver(true)}
        />
      ) : (
        <Failure reason={isOver ? 'code' : params.failure} request={params.request} onLeave={leave} />
      )}
    </SignInFrame>
  );
}

function Arriving({ onArrived }: { onArrived: () => void }) {
  const t = useText(ssoMessages);
  useEffect(() => {
    let isHere = true;
    void arrive().then(() => {
      if (isHere) onArrived();
    });
    return () => {
      isHere = false;
    };
    // Runs once, independent of later renders.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return <Loader role="img" aria-label={t('arriving')} />;
}

/** The messages for the result codes of the contract. */
const sentences = {
  over: ['invalid', 'invalidHint'],
  cancelled: ['cancelled', 'cancelledHint'],
  unavailable: ['unavailable', 'unavailableHint'],
  refused: ['refused', 'refusedHint'],
  clock: ['clock', 'clockHint'],
  not_linked: ['notLinked', 'notLinkedHint'],
  linked_elsewhere: ['linkedElsewhere', 'linkedElsewhereHint'],
  disabled: ['disabled', 'disabledHint'],
  too_many: ['tooMany', 'tooManyHint'],
  failed: ['failed', 'failedHint'],
  code: ['failed', 'codeExpired'],
} as const;

const isKnown = (reason: string | null): reason is keyof typeof sentences => reason !== null && Object.hasOwn(sentences, reason);

function Failure({ reason, request, onLeave }: { reason: string | null; request: string | null; onLeave: () => void }) {
  const t = useText(ssoMessages);
  const [title, hint] = sentences[isKnown(reason) ? reason : 'over'];
  // The address is untrusted input: only a well-formed request id is displayed.
  const id = request !== null && /^[0-9a-f-]{36}$/.test(request) ? request : undefined;
  return (
    <Stack gap="md">
      <Banner tone={reason === 'cancelled' ? 'warn' : 'bad'} title={t(title)}>
        {t(hint)}
      </Banner>
      <Button onClick={onLeave}>{t('back')}</Button>
      {id !== undefined && (
        <Text fz="xs" c="dimmed">
          {t.rich('request', { id: <Code>{id}</Code> })}
        </Text>
      )}
    </Stack>
  );
}
