// The design system on one page: each component in each of its states.
import { lazy, Suspense, useState } from "react";
import { Button, LinkButton } from "../Button.tsx";
import { Badge } from "../Badge.tsx";
import { Card } from "../Card.tsx";
import { Dialog } from "../Dialog.tsx";
import { Face } from "../Face.tsx";
import { Choose, Combo, OneOf, Percent, Pills, TextBox, Tick } from "../Fields.tsx";
import { Icon } from "../Icon.tsx";
import { Empty, Fault, Loading, OfflineBar, PausedBar, WarnBar } from "../States.tsx";
import { Tabs } from "../Tabs.tsx";
import { toast } from "../Toasts.tsx";
import { Problem } from "#/api/client.ts";
import { TalkExamples } from "./TalkExamples.tsx";

const HospitalExamples = lazy(() => import("./HospitalExamples.tsx"));

const COLOURS = ["paper", "ground", "card", "ink", "soft", "line", "edge", "teal", "mint", "mine", "coral", "blush"]
  .concat(["amber", "lilac", "sky", "ring"]);

export default function DesignPage() {
  const [text, setText] = useState("");
  const [percent, setPercent] = useState<number | null>(30);
  const [on, setOn] = useState(true);
  const [one, setOne] = useState<"a" | "b">("a");
  const [open, setOpen] = useState(false);
  return (
    <div className="stack" style={{ gap: "2rem" }}>
      <div>
        <h1>Design</h1>
        <p className="soft">Every part the screens are made of, in each of its states.</p>
      </div>
      <Part name="Colours">
        <ul className="row">
          {COLOURS.map((name) => (
            <li key={name} className="stack small" style={{ gap: "0.2rem", width: "5.5rem" }}>
              <span
                style={{
                  background: `var(--${name})`,
                  height: "3rem",
                  border: "1px solid var(--line)",
                  borderRadius: "0.75rem",
                }}
              />
              {name}
            </li>
          ))}
        </ul>
      </Part>
      <Part name="Buttons">
        <div className="row">
          <Button look="main">
            <Icon name="say" /> Say
          </Button>
          <Button>
            <Icon name="examine" /> Examine
          </Button>
          <Button look="quiet">Leave</Button>
          <Button look="final">
            <Icon name="conclude" /> Conclude
          </Button>
          <Button look="final" className="sure">
            Yes, conclude
          </Button>
          <Button isDisabled>Not now</Button>
          <LinkButton href="/">A link</LinkButton>
        </div>
      </Part>
      <Part name="Fields">
        <div className="stack" style={{ maxWidth: "34rem" }}>
          <TextBox label="Your code" hint="Eight letters, as shown on the other device" value={text} onChange={setText} />
          <TextBox label="Your reading" lines={3} value={text} onChange={setText} wrong="Write something first" />
          <Combo
            label="Order a test"
            value={text}
            onChange={setText}
            onChosen={setText}
            suggestions={[
              { id: "ecg", name: "Electrocardiogram", note: "test" },
              { id: "fbc", name: "Full blood count", note: "laboratory" },
            ]}
          />
          <Choose label="Level" value={one} onChange={setOne} options={[{ id: "a", text: "Any" }, { id: "b", text: "Final year" }]} />
          <Tick checked={on} onChange={setOn}>
            My teacher may read this
          </Tick>
          <OneOf label="Option" value={one} onChange={setOne} options={[{ id: "a", text: "Acute pericarditis" }, { id: "b", text: "Pulmonary embolism" }]} />
          <Percent label="Acute pericarditis" value={percent} onChange={setPercent} />
          <Pills label="Kind" value={one} onChange={setOne} options={[{ id: "a", text: "All" }, { id: "b", text: "Stations" }]} />
        </div>
      </Part>
      <Part name="Badges and cards">
        <div className="row">
          <Badge>Consultation</Badge>
          <Badge look="good">Done</Badge>
          <Badge look="warn">May be distressing</Badge>
          <Badge look="bad">Not found</Badge>
          <Badge look="own">Draft</Badge>
        </div>
        <Card>
          <h3>A card</h3>
          <p>Words on a card.</p>
        </Card>
      </Part>
      <Part name="Tabs, dialogs, toasts">
        <Tabs
          label="Example"
          items={[
            { id: "talk", title: "Talk", body: <p className="card">What is said.</p> },
            { id: "findings", title: "Findings", body: <p className="card">What was found.</p> },
          ]}
        />
        <div className="row">
          <Button onPress={() => setOpen(true)}>Open a dialog</Button>
          <Button onPress={() => toast("Copied: the code to go on with.")}>Show a toast</Button>
        </div>
        <Dialog
          open={open}
          onClose={() => setOpen(false)}
          heading="Wait?"
          ends={<Button look="main" onPress={() => setOpen(false)}>Yes, wait</Button>}
        >
          <p>Nothing is due. The patient goes home, and you see them again in a week.</p>
        </Dialog>
      </Part>
      <Part name="Faces">
        <div className="row">
          {[1, 9, 34, 58, 80].map((age, k) => (
            <span key={age} className="row">
              <Face age={age} sex="female" seed={k * 5} size={64} />
              <Face age={age} sex="male" seed={k * 3 + 1} size={64} mood="distressed" />
              <Face age={age} sex={null} seed={k * 11 + 2} size={64} mood="away" />
            </span>
          ))}
        </div>
      </Part>
      <TalkExamples />
      <Part name="The hospital">
        <Suspense fallback={<Loading />}>
          <HospitalExamples />
        </Suspense>
      </Part>
      <Part name="States of a screen">
        <OfflineBar />
        <PausedBar action={<Button>Try again</Button>}>The patient's model does not answer. The consultation stands still.</PausedBar>
        <WarnBar>Three turns are left.</WarnBar>
        <Card>
          <Empty heading="Nothing here yet">
            <p>Choose a case, and it will stand here.</p>
          </Empty>
        </Card>
        <Card>
          <Loading />
        </Card>
        <Card>
          <Fault
            error={new Problem(503, "The store is locked.", "at the server", "Wait a little, then try again.")}
            again={() => undefined}
          />
        </Card>
      </Part>
    </div>
  );
}

export function Part({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <section className="stack">
      <h2>{name}</h2>
      {children}
    </section>
  );
}
