// peers_mujoco.cpp - MuJoCo as a peer (peers.h): a tree of ball joints, without contacts, damping or
// armature.
//
// The frame of a MuJoCo body is ours, at the centre of mass with the principal axes. Its ball joint has the
// rotation of the child relative to the parent as its coordinates, and as velocities that rotation's rate, in
// axes of the child. XML nests the bodies: its reader refuses chains of some hundred bodies.
#include "peers.h"

#ifdef HN_WITH_MUJOCO
#include <mujoco/mujoco.h>

#include <stdexcept>

namespace
{

std::string numbers(const double *x, int n)
{
  std::string all;
  char text[32];
  for (int i = 0; i < n; i++) {
    std::snprintf(text, sizeof text, "%s%.17g", i ? " " : "", x[i]);
    all += text;
  }
  return all;
}

// The body of MODEL with all below it.
std::string xml_of(const hn_model *model, int body, const std::vector<std::vector<int>> &children)
{
  const hn_joint &joint = model->joint[body - 1];
  const hn_body &of = model->body[body];
  const hn_pose &parent = model->body[joint.a].pose0;
  const btMatrix3x3 turned(orientation(parent).inverse());
  double apart[3], at[3];
  for (int c = 0; c < 3; c++) apart[c] = of.pose0.x[c] - parent.x[c];
  for (int r = 0; r < 3; r++) {
    at[r] = 0.0;
    for (int c = 0; c < 3; c++) at[r] += turned[r][c] * apart[c];
  }
  const btQuaternion turn = orientation(parent).inverse() * orientation(of.pose0);
  const double quat[4] = { turn.w(), turn.x(), turn.y(), turn.z() };
  std::string xml = "<body pos='" + numbers(at, 3) + "' quat='" + numbers(quat, 4) +
                    "'><inertial pos='0 0 0' mass='" + numbers(&of.mass, 1) + "' diaginertia='" +
                    numbers(of.J, 3) + "'/><joint type='ball' pos='" + numbers(joint.point_b, 3) + "'/>";
  for (int child : children[size_t(body)]) xml += xml_of(model, child, children);
  return xml + "</body>";
}

struct mujoco : peer {
  mjModel *model = nullptr;
  mjData *data = nullptr;
  std::vector<int> number; // of a body of ours in MuJoCo, which counts depth first

  mujoco(const hn_model *of, double h)
  {
    check_tree(of);
    std::vector<std::vector<int>> children(size_t(of->nbody));
    for (int i = 0; i < of->njoint; i++) children[size_t(of->joint[i].a)].push_back(i + 1);
    std::string xml = "<mujoco><compiler angle='radian'/><option timestep='" + numbers(&h, 1) +
                      "' integrator='RK4' gravity='" + numbers(of->gravity, 3) +
                      "'><flag contact='disable' constraint='disable'/></option><worldbody>";
    for (int child : children[0]) xml += xml_of(of, child, children);
    xml += "</worldbody></mujoco>";
    mjVFS files;
    mj_defaultVFS(&files);
    const char *name = "tree.xml";
    if (mj_makeEmptyFileVFS(&files, name, int(xml.size()))) end_with("MuJoCo has no room for the model");
    std::copy(xml.begin(), xml.end(), static_cast<char *>(files.filedata[mj_findFileVFS(&files, name)]));
    char error[1000] = "";
    model = mj_loadXML(name, &files, error, sizeof error);
    mj_deleteVFS(&files);
    if (!model) throw std::runtime_error(error);
    data = mj_makeData(model);
    number.assign(size_t(of->nbody), 0);
    int next = 1;
    for (int child : children[0]) count(child, children, next);
    set_velocities(of);
  }

  ~mujoco() override
  {
    mj_deleteData(data), mj_deleteModel(model);
  }

  void count(int body, const std::vector<std::vector<int>> &children, int &next)
  {
    number[size_t(body)] = next++;
    for (int child : children[size_t(body)]) count(child, children, next);
  }

  void set_velocities(const hn_model *of)
  {
    for (int i = 1; i < of->nbody; i++) {
      const double *w = of->body[i].twist0.w, *before = of->body[of->joint[i - 1].a].twist0.w;
      const double apart[3] = { w[0] - before[0], w[1] - before[1], w[2] - before[2] };
      const btVector3 own = quatRotate(orientation(of->body[i].pose0).inverse(), vector(apart));
      for (int c = 0; c < 3; c++) data->qvel[model->jnt_dofadr[number[size_t(i)] - 1] + c] = own[c];
    }
  }

  void take_steps(double, int count) override
  {
    for (int k = 0; k < count; k++) mj_step(model, data);
  }

  void position(int body, double x[3]) const override
  {
    mj_kinematics(model, data); // positions are those before the last step
    for (int c = 0; c < 3; c++) x[c] = data->xpos[3 * number[size_t(body)] + c];
  }
};

} // namespace

std::unique_ptr<peer> mujoco_of(const hn_model *model, double h)
{
  return std::make_unique<mujoco>(model, h);
}

const char *mujoco_version()
{
  return mj_versionString();
}

#else

std::unique_ptr<peer> mujoco_of(const hn_model *, double)
{
  return nullptr;
}

const char *mujoco_version()
{
  return nullptr;
}

#endif
